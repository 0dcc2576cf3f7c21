"""Errors of players by exact values."""

import numpy as np
import pytest

from alquerque_env import Match, load_game, load_table, measure_errors
from alquerque_env.arena import natural_states
from alquerque_env.errors import TableError, UnknownNameError
from alquerque_env.game.kernel_arrays import JIT

NAME = "felli_simplified"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


def test_natural_positions_are_different_ones_with_a_choice_that_the_seed_decides():
    states = natural_states(NAME, 800, seed=3)
    assert (states == natural_states(NAME, 800, seed=3)).all()
    game = load_game(NAME)
    matches = [Match.from_state(game, state) for state in states]
    assert all(len(match.legal_steps) > 1 for match in matches)
    assert len({match.position.partition(":H")[0] for match in matches}) == 800


@pytest.mark.slow
def test_natural_positions_end_where_matches_lead_to_no_others():
    states = natural_states(NAME, 10**6)
    assert 10_000 < len(states) < 50_000
    assert len(np.unique(states, axis=0)) == len(states)


@pytest.mark.parametrize("kind", ["uniform", "natural"])
def test_random_choices_are_wrong_as_often_as_chance(kind):
    rng = np.random.default_rng(0)
    found = measure_errors(lambda _observation, mask: rng.choice(np.flatnonzero(mask)), NAME, 2000, kind=kind)
    assert found.positions == 2000
    assert found.wrong.low <= found.chance <= found.wrong.high


def test_what_is_lost_is_the_value_before_less_the_value_after():
    table = load_table(NAME)
    rng = np.random.default_rng(1)
    matches = [Match.from_state(table.game, state) for state in table.sample(300, rng)]
    lost = []
    for match in matches:
        steps = [] if match.is_over else table.steps(match)
        if steps and steps[0].value > steps[-1].value:
            lost.append(steps[0].value - steps[-1].value)

    def worst(observation, mask):
        return next(actions)

    ranked = [table.steps(match) for match in matches if not match.is_over]
    actions = iter([steps[-1].step.action for steps in ranked if steps[0].value > steps[-1].value])
    found = measure_errors(worst, NAME, [match.position for match in matches])
    assert found.positions == len(lost)
    assert found.wrong.value == 1
    assert found.regret.value == pytest.approx(np.mean(lost))


def test_an_unknown_kind_of_positions_and_those_without_a_wrong_step_are_refused():
    with pytest.raises(UnknownNameError, match="uniform, natural"):
        measure_errors("random", NAME, kind="even")
    with pytest.raises(TableError, match="no step loses value in any of the positions"):
        measure_errors("random", NAME, ["W:Wa1:Be5,d4"])
