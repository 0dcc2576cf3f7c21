"""The closed set of a game, and the learner of its choices, of `training/research`."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from alquerque_training.experience.labels import TableLabels
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.run.config_file import ConfigError, parse_config
from closed_set import ClosedSet, ClosedSetLearner, start_value

from alquerque_env import Match, best_response, load_game, load_table
from alquerque_env.arena.exploit.best_response import BestResponse
from alquerque_env.bots import GameBot
from alquerque_env.game.canonical import CanonicalImages
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.game.planes import clock_planes
from alquerque_env.game.step import Step
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.tables import EndgameTable, build_table
from alquerque_env.solve.tables.table_file import table_path

GAME = "felli_simplified"
pytestmark = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python; the compiled run has the same source")


def learner(*, exact: dict[str, object] | None = None, **options: object) -> ClosedSetLearner:
    run = {"algorithm": "closed_set:ClosedSetLearner", "game": GAME, "options": options}
    sections = {"run": run, "self_play": {"num_games": 4, "rollout_steps": 5}, "exact": exact or {}}
    return ClosedSetLearner(parse_config(sections, "test"), load_game(GAME, **options))


@cache
def closed() -> tuple[ClosedSet, Positions, Game]:
    """The closed set of a drawn game, its choices, and the game."""
    game = load_game(GAME, capture="optional")
    labels = TableLabels(game, 1.0, 0.5)
    assert start_value(labels) == 0
    found = ClosedSet(game, labels.table, 0, 3)
    return found, found.choices(labels), game


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_that_stays_in_the_closed_set_keeps_the_draw_and_is_asked_nowhere_else(seat: int) -> None:
    found, choices, game = closed()
    response, asked = answer_staying(found, choices, game, load_table(game), seat)
    assert (response.kept, response.complete, response.clock) == (True, True, False)
    assert 100 < asked <= len(choices.outcome) < len(found)


@pytest.mark.slow
def test_a_player_that_stays_in_a_closed_set_of_a_proof_and_a_small_table_keeps_the_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"no_progress_result": "majority"}
    game = load_game(GAME, **options)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    small = load_table(game, build_table(game, 7, table_path(game, 7)))
    solve_position(Match(game), small, memory=0.01, certificate=tmp_path / f"{GAME}.steps")
    shares = {"matches_share": 0.0, "closed_set_depth": 1}
    made = learner(exact=shares, **options)
    assert (start_value(made.labels), made.labels.table.pieces) == (1, 7)
    found, choices = made._closed, made._choices
    assert (choices.outcome > 0).all()
    whole = load_table(game, build_table(game, 12, tmp_path / "whole.aqt"))
    assert whole.value(Match(game)) == 1
    response, asked = answer_staying(found, choices, game, whole, 0)
    assert (response.kept, response.complete) == (True, True)
    assert 10 < asked <= len(choices.outcome) < len(found)
    with pytest.raises(ConfigError, match=r"exact.matches_share is 0.5, and matches need the table of a whole game"):
        learner(**options)


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


@pytest.mark.slow
def test_all_choices_of_the_closed_set_are_learned_and_nothing_else_of_it() -> None:
    made = learner(capture="optional")
    found, choices = made._closed, made._choices
    rows, figures = made.draw()
    assert figures["closed_choices"] == len(choices.outcome)
    assert 0 < figures["closed_left"] < figures["closed_choices"]
    inside = rows.take(found.shows(rows.planes))
    assert {bytes(planes) for planes in inside.planes} == {bytes(planes) for planes in choices.planes}
    assert len(inside.outcome) == 2 * len(choices.outcome)  # all, and as many of those that are unsure
    assert len(rows.outcome) > len(inside.outcome)


def test_a_closed_set_is_refused_where_the_limit_draws_and_the_start_is_won() -> None:
    with pytest.raises(ConfigError, match=f"and {GAME} is won from the start: set run.algorithm = 'exact'"):
        learner()
