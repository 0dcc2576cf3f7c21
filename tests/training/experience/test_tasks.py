"""Tasks: which games they are drawn from, what they hold, and that a network learns from them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alquerque_training.config.settings import ConfigError
from alquerque_training.experience.tasks import Task, TaskConfig, TaskSource, load_source
from alquerque_training.run.config_file import load_config, parse_config
from alquerque_training.run.learner import make_learner

from alquerque_env import load_game
from alquerque_env.arena.exact_errors import NATURAL, measure_errors
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.drawn import draw_game
from alquerque_env.drawn.splits import table_of
from alquerque_env.errors import AlquerqueError
from alquerque_env.match.match import Match
from tests.training.tiny_runs import compiled

pytestmark = compiled

TINY = {"matches": 2, "uniform": 16, "depth": 2, "seeds": [0, 4]}


def config(**tasks: Any) -> Any:
    sections: dict[str, Any] = {
        "run": {"algorithm": "imitation", "game": "felli_simplified"},
        "self_play": {"num_games": 8, "rollout_steps": 6},
        "network": {"kind": "family", "width": 8, "blocks": 1},
        "tasks": TINY | tasks,
    }
    return parse_config(sections, "test")


def draw(source: TaskSource, seed: int) -> Task:
    return source.draw(np.random.Generator(np.random.PCG64(seed)))


def test_options_that_are_held_out_are_never_drawn_and_others_are() -> None:
    held = ["pretwa capture=optional", "pretwa chain=single"]
    source = TaskSource(config(games=["pretwa"], held_out=held, drawn_share=0.0, options_share=1.0))
    found = [load_source(draw(source, seed).source) for seed in range(60)]

    assert {game.name for game in found} == {"pretwa"}
    assert {game.options["capture"] for game in found} == {"compulsory"}
    assert {game.options["chain"] for game in found} == {"compulsory", "optional"}
    assert len({game.table_hash for game in found}) > 8


def test_nothing_that_the_documents_hold_out_is_in_the_config_that_is_measured() -> None:
    """As `docs/generalisation.md` lists it; the seeds of validation and test cannot be configured at all."""
    own = load_config("one_network").of(TaskConfig)
    page = Path(__file__).parents[3].joinpath("docs/generalisation.md").read_text("utf-8")
    held = page.partition("do not train on:")[2].partition("\n\nOnly")[0]

    for name in own.games:
        assert f"`{name}`," not in held.replace(f"`{name}` with", ""), name
    for setting in own.held_out:
        name, option = setting.split()
        assert f"`{name}` with" in held
        assert f"`{option}`" in held


def test_the_same_seed_draws_the_same_task_and_another_one_another() -> None:
    source = TaskSource(config(games=["adugo"]))
    one, same, other = (draw(source, seed) for seed in (1, 1, 2))
    restored = Task.of(one.as_arrays())

    for task in (same, restored):
        assert task.source == one.source
        assert task.game.table_hash == one.game.table_hash
        assert all(np.array_equal(*pair) for pair in zip(one.rows, task.rows, strict=True))
    assert not np.array_equal(one.rows.outcome, other.rows.outcome)


def test_exact_values_say_which_steps_are_learned() -> None:
    """Asked of the table again, in positions made from what the network is shown."""
    source, critical = TaskSource(config(drawn_share=1.0, large_share=0.0, seeds=[0, 12])), 0
    for task in (draw(source, seed) for seed in range(4)):
        game, table = task.game, table_of(task.game)
        names = [plane.name for plane in game.planes]
        for row, planes in enumerate(task.rows.planes):
            shown = {
                name: [game.board.labels[point] for point in np.flatnonzero(plane)]
                for name, plane in zip(names, planes, strict=True)
            }
            more = shown.keys() - {"own_men", "enemy_men", "own_kings", "enemy_kings", "clock"}
            if game.has_roles or any(shown[name] for name in more):
                continue  # the observer may be North, or the position is more than its pieces
            sides = (
                ",".join([*shown[f"{side}_men"], *(f"K{label}" for label in shown.get(f"{side}_kings", ()))])
                for side in ("own", "enemy")
            )
            match = Match(game, "W:W{}:B{}".format(*sides))
            found = table.action_values(match, clockless=True).value
            values = {step.action: int(found[step.action]) for step in match.legal_steps}
            learned = task.rows.actions[row][task.rows.policy[row] > 0]
            assert {values[action] for action in learned} == {max(values.values())}
            assert set(task.rows.actions[row][task.rows.actions[row] >= 0]) == values.keys()
            critical += len(set(values.values())) > 1
    assert critical > 10


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (
            {"seeds": [0, 10_001]},
            r"tasks\.seeds is \[0, 10001\], expected two numbers from 0 to 10000, the greater last",
        ),
        ({"seeds": [5, 5]}, r"tasks\.seeds is \[5, 5\]"),
        (
            {"matches": 3},
            r"self_play\.num_games is 8, which gives 8 to a process, expected a multiple of tasks\.matches",
        ),
        ({"games": ["alquerqe"]}, "did you mean 'alquerque'"),
        ({"held_out": ["pretwa capture"]}, "tasks.held_out has 'pretwa capture', expected GAME OPTION=VALUE"),
        ({"held_out": ["pretwa capture=never"]}, "tasks.held_out has 'pretwa capture=never'"),
    ],
)
def test_settings_of_no_task_are_refused(tasks: dict[str, Any], said: str) -> None:
    with pytest.raises(AlquerqueError, match=said):
        TaskSource(config(**tasks))


def test_a_network_of_one_game_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"network\.kind is 'mlp', expected 'family' with run\.algorithm = 'imitation'"
    ):
        make_learner(config().replaced("network", kind="mlp"), load_game("felli_simplified"))


@pytest.mark.slow
def test_a_network_learns_to_keep_the_value_in_games_that_it_has_not_seen() -> None:
    """Without search features, of which an untrained network would know already what pieces are worth."""
    sections = config(drawn_share=1.0, large_share=0.0, matches=8, uniform=128, seeds=[0, 40])
    settings = sections.replaced("self_play", rollout_steps=32).replaced("network", width=16, blocks=2)
    learner = make_learner(settings.replaced("run", total_steps=256 * 60), load_game("felli_simplified"))

    def wrong() -> float:
        found = []
        for seed in range(10_000, 10_006):
            game = draw_game(seed)
            encoder = learner.network.encoder_of(game)

            def choose(planes, mask, encoder=encoder):
                parts = encoder.encode(planes, *encoder.masks_and_codes(planes))
                logits = np.zeros(mask.shape)
                for rows, view, inputs in parts:
                    logits[rows] = learner.network.judge(view, inputs)[0].detach().numpy()
                return np.where(mask == 1, logits, -np.inf).argmax(1)

            bot = PolicyBot(game, choose, batched=True)
            found.append(measure_errors(bot, game, 300, kind=NATURAL, table=table_of(game)).wrong.value)
        return float(np.mean(found))

    before = wrong()
    for _ in range(60):
        learner.iterate()
    assert wrong() < 0.75 * before
