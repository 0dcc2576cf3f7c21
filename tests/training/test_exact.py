"""Learning from exact values: what is learned from, the loss, and whole runs."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from alquerque_training import exact
from alquerque_training.config.loader import ConfigError, parse_config
from alquerque_training.config.settings import Config
from alquerque_training.exact import ExactLearner, exact_loss
from alquerque_training.experience.closed_set import ClosedSet
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.experience.table_positions import TablePositions
from alquerque_training.measure import wrong_choices
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.measure.metrics import read_log
from alquerque_training.measure.wrong_choices import describe_errors, exact_error
from alquerque_training.networks.inference import make_network
from alquerque_training.run.train import TrainingResult, train

from alquerque_env import Match, best_response, load_game, load_table
from alquerque_env.arena.exploit.best_response import BestResponse
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.bots import GameBot
from alquerque_env.game.canonical import CanonicalImages
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.game.planes import clock_planes
from alquerque_env.game.step import Step
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.tables import EndgameTable, build_table
from alquerque_env.solve.tables.table_file import table_path
from tests.training.tiny_runs import at_iteration, weights, without_time

GAME = "felli_simplified"
CONFIG = f"""
[run]
algorithm = "exact"
game = "{GAME}"
total_steps = 1024
checkpoint_every = 3
[self_play]
num_games = 16
rollout_steps = 8
[exact]
batch_size = 32
[network]
width = 16
blocks = 1
[evaluation]
games_per_seat = 2
every = 8
"""
compiled = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")


def settings(**sections: dict[str, object]) -> Config:
    base = {"run": {"algorithm": "exact", "game": GAME}, "self_play": {"num_games": 4, "rollout_steps": 5}}
    return parse_config({name: base.get(name, {}) | sections.get(name, {}) for name in {**base, **sections}}, "test")


def drawn(share: float, **own: object) -> Positions:
    source = TablePositions(
        load_game(GAME), settings(exact={"matches_share": share, "uncritical_share": 1.0, **own}), 3
    )
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


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_policy_to_learn_has_the_steps_that_keep_the_value_and_prefers_quick_wins(share: float) -> None:
    rows, game = drawn(share, haste=1.0), load_game(GAME)
    found = load_table(game).action_values(states_of(rows, game))
    for row, (actions, policy) in enumerate(zip(rows.actions, rows.policy, strict=True)):
        legal = actions[actions >= 0]
        values, plies = found.value[row, legal].astype(int), found.distance[row, legal].astype(int)
        assert [*legal] == [*np.flatnonzero(found.known[row])]
        assert rows.policy_weight[row] == (values.min() < values.max())
        assert rows.outcome[row] == values.max()
        expected = np.where(values == values.max(), np.exp(-values * np.maximum(plies, 0.0)), 0)
        assert policy[: len(legal)] == pytest.approx(expected / expected.sum(), rel=1e-5)


def test_in_draws_the_policy_to_learn_prefers_steps_that_leave_few_replies() -> None:
    rows, game = drawn(0.0, narrowness=0.5), load_game(GAME)
    states = states_of(rows, game)
    keeps = load_table(game).action_values(states).value == 0
    numbers_of_replies = set()
    for row in np.flatnonzero(rows.outcome == 0):
        replies = {}
        for action in rows.actions[row][rows.actions[row] >= 0]:
            match = Match.from_state(game, states[row])
            match.push(action)
            replies[action] = 1 if match.turn_goes_on else len(match.legal_steps)
        expected = np.array([np.exp(-0.5 * replies[action]) * keeps[row, action] for action in replies])
        assert rows.policy[row, : len(replies)] == pytest.approx(expected / expected.sum(), rel=1e-5)
        numbers_of_replies.add(len({replies[action] for action in replies if keeps[row, action]}))
    assert max(numbers_of_replies) > 1


def test_the_learner_plays_one_seat_of_its_own_matches() -> None:
    source = TablePositions(
        load_game(GAME), settings(exact={"matches_share": 1.0, "own_share": 0.5}, self_play={"num_games": 4}), 3
    )
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


@cache
def closed() -> tuple[ClosedSet, Positions, Game]:
    """The closed set of a drawn game, its choices, and the game."""
    game = load_game(GAME, capture="optional")
    config = settings(run={"algorithm": "exact", "game": GAME, "options": {"capture": "optional"}})
    source = TablePositions(game, config, 3)
    assert source.start_value == 0
    found = ClosedSet(game, source.table, 0, 3)
    return found, found.choices(source.judge), game


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_that_stays_in_the_closed_set_keeps_the_draw_and_is_asked_nowhere_else(seat: int) -> None:
    found, choices, game = closed()
    response, asked = answer_staying(found, choices, game, load_table(game), seat)
    assert (response.kept, response.complete, response.clock) == (True, True, False)
    assert 100 < asked <= len(choices.outcome) < len(found)


@compiled
@pytest.mark.slow
def test_a_player_that_stays_in_a_closed_set_of_a_proof_and_a_small_table_keeps_the_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"no_progress_result": "majority"}
    game = load_game(GAME, **options)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    small = load_table(game, build_table(game, 7, table_path(game, 7)))
    solve_position(Match(game), small, memory=0.01, certificate=tmp_path / f"{GAME}.xz")
    config = settings(
        run={"algorithm": "exact", "game": GAME, "options": options},
        exact={"closed_set": True, "matches_share": 0.0, "closed_set_depth": 1},
    )
    source = TablePositions(game, config, 3)
    assert (source.start_value, source.table.pieces) == (1, 7)
    found, choices = exact._close(game, source, 1)
    assert (choices.outcome > 0).all()
    whole = load_table(game, build_table(game, 12, tmp_path / "whole.aqt"))
    assert whole.value(Match(game)) == 1
    response, asked = answer_staying(found, choices, game, whole, 0)
    assert (response.kept, response.complete) == (True, True)
    assert 10 < asked <= len(choices.outcome) < len(found)
    with pytest.raises(ConfigError, match=r"exact.matches_share is 0.5, and matches need the table of a whole game"):
        TablePositions(game, settings(run=config.run.model_dump()), 3)


def answer_staying(
    found: ClosedSet, choices: Positions, game: Game, table: EndgameTable, seat: int
) -> tuple[BestResponse, int]:
    """The best response to a player that stays in a closed set, and in how many positions it was asked."""
    images, asked = CanonicalImages(game), set()
    rows = np.arange(len(choices.outcome))
    planes, clock = choices.planes.copy(), list(clock_planes(game))
    planes[:, clock] = 0
    turned, actions = images.find(planes)
    chosen = actions[rows, choices.actions[rows, choices.policy.argmax(1)]]
    steps = {planes.tobytes(): action for planes, action in zip(turned, chosen, strict=True)}

    class Staying(GameBot):
        sees_clock = False
        has_memory = False

        def _decide(self, match: Match) -> Step:
            seen = match.observation()[None].copy()
            seen[:, clock] = 0
            assert found.shows(seen).all()
            (image,), (actions,) = images.find(seen)
            asked.add(image.tobytes())
            return next(step for step in match.legal_steps if actions[step.action] == steps[image.tobytes()])

    (response,) = best_response(Staying("staying", game, 0), game, seat=seat, table=table)
    return response, len(asked)


@compiled
@pytest.mark.slow
def test_the_learner_learns_all_choices_of_the_closed_set_and_nothing_else_of_it(monkeypatch) -> None:
    found, choices, game = closed()
    monkeypatch.setattr(exact, "_close", lambda *_: (found, choices))
    options = {"capture": "optional"}
    learner = ExactLearner(
        settings(run={"algorithm": "exact", "game": GAME, "options": options}, exact={"closed_set": True}), game
    )
    learned = []
    monkeypatch.setattr(learner, "_learn", lambda rows, _: learned.append(rows) or {})
    record = learner.iterate()
    (rows,) = learned
    assert record["closed_choices"] == len(choices.outcome)
    assert 0 < record["closed_left"] < record["closed_choices"]
    inside = rows.take(found.shows(rows.planes))
    assert {bytes(planes) for planes in inside.planes} == {bytes(planes) for planes in choices.planes}
    assert len(inside.outcome) == 2 * len(choices.outcome)  # all, and as many of those that are unsure
    assert len(rows.outcome) > len(inside.outcome)


def test_a_closed_set_is_refused_where_the_limit_draws_and_the_start_is_won() -> None:
    with pytest.raises(ConfigError, match=f"and {GAME} is won from the start: set exact.closed_set = false"):
        ExactLearner(settings(exact={"closed_set": True}), load_game(GAME))


def test_only_critical_positions_are_learned_from_if_no_others_are_wanted() -> None:
    assert drawn(0.5, uncritical_share=0.0).policy_weight.all()


def test_a_discounted_value_tells_quick_wins_from_slow_ones() -> None:
    source = TablePositions(load_game(GAME), settings(self_play={"discount": 0.9, "num_games": 40}), 3)
    values = np.abs(source.draw(first_legal).outcome)
    assert set(np.round(np.log(values[values > 0]) / np.log(0.9), 3) % 1) <= {0.0, 1.0}
    assert len(set(values)) > 3


def test_the_loss_is_the_probability_of_keeping_the_value_haste_and_the_error_of_the_value() -> None:
    rows = Positions.empty(2, (1, 1))
    rows.actions[:, :3] = [[0, 1, 3], [2, 3, -1]]
    rows.policy[:, :3] = [[0.75, 0.25, 0], [0.5, 0.5, 0]]
    rows.policy_weight[:] = [1, 0]
    rows.outcome[:] = [1, 0]
    logits = torch.log(torch.tensor([[0.2, 0.3, 9.0, 0.5], [7.0, 8.0, 0.1, 0.9]]))
    config = settings(exact={"haste_weight": 0.1, "value_weight": 2.0}).exact

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
    monkeypatch.setattr(wrong_choices, "POSITIONS", 100)
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
def test_a_learner_that_continues_from_a_state_is_the_one_that_never_stopped() -> None:
    whole, first, second = (ExactLearner(settings(), load_game(GAME)) for _ in range(3))
    for _ in range(4):
        expected = whole.iterate()
    for _ in range(2):
        first.iterate()
    second.set_state(first.get_state(), first.network.state_dict(), first.steps)
    for _ in range(2):
        resumed = second.iterate()
    assert {**resumed, "playing_share": 0} == {**expected, "playing_share": 0}
    for name, weight in whole.network.state_dict().items():
        assert (second.network.state_dict()[name] == weight).all()


@compiled
@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_run_that_was_stopped_is_resumed_as_if_it_had_not_been(
    uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash() -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power cut"):
        at_iteration(5, crash, patch)
        train(Path("tiny.toml"))
    resumed = train(Path("tiny.toml"), resume=Path("runs/tiny-1"))
    assert weights(resumed) == weights(uninterrupted)
    assert without_time(resumed.run) == without_time(uninterrupted.run)
    assert read_log(resumed.run / "log.jsonl")[-1]["exact_error"] > 0.2


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
