"""Learning from exact values: what is learned from, the loss, and whole runs."""

from pathlib import Path

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import Config
from alquerque_training.exact import ExactConfig, ExactLearner, exact_loss
from alquerque_training.experience.labels import TableLabels, TablePositions
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.measure import evaluate
from alquerque_training.measure.evaluate import describe_errors, exact_error, greedy_policy
from alquerque_training.measure.metrics import read_log
from alquerque_training.networks.inference import make_network
from alquerque_training.run.config_file import ConfigError, parse_config
from alquerque_training.run.train import train

from alquerque_env import load_game, load_table
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.game.game import Game
from tests.training.tiny_runs import compiled

GAME = "felli_simplified"


def settings(**sections: dict[str, object]) -> Config:
    base = {"run": {"algorithm": "exact", "game": GAME}, "self_play": {"num_games": 4, "rollout_steps": 5}}
    return parse_config({name: base.get(name, {}) | sections.get(name, {}) for name in {**base, **sections}}, "test")


def positions(
    matches: int, *, uniform: int = 0, steps: int = 5, haste: float = 0.5, discount: float = 1.0, **own: float
):
    labels = TableLabels(load_game(GAME), discount, haste)
    shares = {"own_share": 0.0, "uncritical_share": 1.0} | own
    return TablePositions(labels, matches=matches, steps=steps, uniform=uniform, seed=3, **shares)


def drawn(source: TablePositions) -> Positions:
    return Positions(*map(np.concatenate, zip(*(source.draw(first_legal) for _ in range(4)), strict=True)))


def first_legal(planes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return mask.argmax(1)


def states_of(rows: Positions, game: Game) -> np.ndarray:
    """The states of positions, `[N, S]`, as if `player_0` were to move, who has just made progress."""
    states = np.zeros((len(rows.outcome), len(game.table.start)), np.int64)
    points = 1 << np.arange(len(game.board.points))
    states[:, :2] = rows.planes[:, :2].astype(np.int64) @ points
    states[:, 5] = np.where(rows.planes[:, 2].any(1), rows.planes[:, 2].argmax(1), -1)
    return states


@pytest.mark.parametrize("place", [{"matches": 0, "uniform": 20}, {"matches": 4}])
def test_the_policy_to_learn_has_the_steps_that_keep_the_value_and_prefers_quick_wins(place: dict[str, int]) -> None:
    rows, game = drawn(positions(**place, haste=1.0)), load_game(GAME)
    found = load_table(game).action_values(states_of(rows, game))
    for row, (actions, policy) in enumerate(zip(rows.actions, rows.policy, strict=True)):
        legal = actions[actions >= 0]
        values, plies = found.value[row, legal].astype(int), found.distance[row, legal].astype(int)
        assert [*legal] == [*np.flatnonzero(found.known[row])]
        assert rows.policy_weight[row] == (values.min() < values.max())
        assert rows.outcome[row] == values.max()
        expected = np.where(values == values.max(), np.exp(-values * np.maximum(plies, 0.0)), 0)
        assert policy[: len(legal)] == pytest.approx(expected / expected.sum(), rel=1e-5)


def test_the_learner_plays_one_seat_of_its_own_matches() -> None:
    source = positions(4, own_share=0.5)
    batch = make_batch(load_game(GAME), 4)
    seats = set()
    for _ in range(20):
        states = source.get_state()["states"]
        before = batch.set(states)
        asked = []

        def choose(planes: np.ndarray, mask: np.ndarray, asked: list[np.ndarray] = asked) -> np.ndarray:
            asked.append(planes)
            return mask.argmax(1)

        source._play(choose)
        own = [row for row in (0, 1) if before.player[row] == row]
        seats.update(own)
        assert np.array_equal(np.concatenate([*asked, before.observation[:0]]), before.observation[own])
    assert seats == {0, 1}


def test_only_critical_positions_are_learned_from_if_no_others_are_wanted() -> None:
    assert drawn(positions(2, uniform=10, uncritical_share=0.0)).policy_weight.all()


def test_a_discounted_value_tells_quick_wins_from_slow_ones() -> None:
    values = np.abs(positions(20, uniform=100, discount=0.9).draw(first_legal).outcome)
    assert set(np.round(np.log(values[values > 0]) / np.log(0.9), 3) % 1) <= {0.0, 1.0}
    assert len(set(values)) > 3


def test_the_loss_is_the_probability_of_keeping_the_value_haste_and_the_error_of_the_value() -> None:
    rows = Positions.empty(2, (1, 1))
    rows.actions[:, :3] = [[0, 1, 3], [2, 3, -1]]
    rows.policy[:, :3] = [[0.75, 0.25, 0], [0.5, 0.5, 0]]
    rows.policy_weight[:] = [1, 0]
    rows.outcome[:] = [1, 0]
    logits = torch.log(torch.tensor([[0.2, 0.3, 9.0, 0.5], [7.0, 8.0, 0.1, 0.9]]))
    config = ExactConfig(haste_weight=0.1, value_weight=2.0)

    losses = exact_loss(logits, torch.tensor([0.5, 0.5]), rows, config)

    haste = -(0.75 * np.log(0.2) + 0.25 * np.log(0.3) + 0.5 * np.log(0.1) + 0.5 * np.log(0.9)) / 2
    assert losses.policy.item() == pytest.approx(-np.log(0.5) + 0.1 * haste)
    assert losses.value.item() == pytest.approx(0.25)
    assert losses.total.item() == pytest.approx(losses.policy.item() + 2 * 0.25)


def test_a_game_without_a_table_of_the_whole_game_is_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigError, match=r"there is none of alquerque: build it with alquerque solve alquerque") as no:
        ExactLearner(settings(run={"algorithm": "exact", "game": "alquerque"}), load_game("alquerque"))
    assert "\n" not in str(no.value)


@compiled
def test_wrong_choices_are_measured_where_there_is_a_table_of_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "POSITIONS", 100)
    game = load_game(GAME)
    network = make_network(settings(), game, torch.Generator().manual_seed(0))

    measured = exact_error(greedy_policy(network), game)
    described = describe_errors(network, game, 2, 0.3)

    assert exact_error(greedy_policy(network), load_game("alquerque")) == {}
    assert describe_errors(network, load_game("alquerque"), 2, 0.3) == []
    assert measured == {"exact_error": pytest.approx(described[0]["wrong"])}
    assert [(entry["kind"], entry["simulations"]) for entry in described] == [
        (kind, number) for number in (0, 2) for kind in ("uniform", "natural")
    ]
    assert all(entry["low"] < entry["wrong"] < entry["high"] for entry in described)


@compiled
@pytest.mark.slow
def test_a_run_logs_the_share_of_its_wrong_choices(tmp_path: Path) -> None:
    run, sizes = {"total_steps": 200, "directory": str(tmp_path)}, {"width": 16, "blocks": 1}
    config = settings(run=run, network=sizes, evaluation={"games_per_seat": 2, "every": 10})
    (tmp_path / "tiny.toml").write_text(config.toml(), encoding="utf-8")

    result = train(tmp_path / "tiny.toml")

    assert read_log(result.run / "log.jsonl")[-1]["exact_error"] > 0.2


@compiled
@pytest.mark.slow
def test_seconds_of_training_make_a_quarter_of_the_wrong_choices_right() -> None:
    game = load_game(GAME)
    learner = ExactLearner(
        settings(
            run={"algorithm": "exact", "game": GAME, "total_steps": 120_000},
            self_play={"num_games": 256, "rollout_steps": 64},
            network={"width": 128, "blocks": 1},
        ),
        game,
    )
    before = exact_error(greedy_policy(learner.network), game)["exact_error"]
    while learner.iteration < learner.config.iterations:
        learner.iterate()
    assert before > 0.4
    assert exact_error(greedy_policy(learner.network), game)["exact_error"] < before * 0.75
