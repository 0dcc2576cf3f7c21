"""Errors of players by exact values."""

import numpy as np
import pytest

from alquerque_env import Match, load_table, measure_errors
from alquerque_env.errors import TableError
from alquerque_env.game.kernel_arrays import JIT

NAME = "felli_simplified"
pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")


def test_a_player_that_keeps_every_value_makes_no_errors():
    found = measure_errors("perfect", NAME, 100)
    assert found.positions == 100
    assert found.wrong.value == found.regret.value == 0
    assert 0 < found.wrong.high < 0.1


def test_random_choices_are_wrong_as_often_as_chance():
    rng = np.random.default_rng(0)
    found = measure_errors(lambda _observation, mask: rng.choice(np.flatnonzero(mask)), NAME, 3000)
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


def test_positions_without_a_wrong_step_are_refused():
    with pytest.raises(TableError, match="no step loses value in any of the positions"):
        measure_errors("random", NAME, ["W:Wa1:Be5,d4"])
