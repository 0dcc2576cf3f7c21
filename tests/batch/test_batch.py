"""Batches of every kind hold and reset matches alike; `tests/test_all_forms.py` plays them."""

import numpy as np
import pytest

from alquerque_env import load_game
from alquerque_env.batch.batch import HOLD, PLAY, RESET
from alquerque_env.batch.make_batch import make_batch
from tests.all_forms import PlainBatch
from tests.sets import first_by_default


@first_by_default
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_matches_that_are_held_or_reset_do_not_disturb_others(name: str) -> None:
    batch = 9
    game = load_game(name)
    matches, alone = make_batch(game, batch), PlainBatch(game, batch)
    generator = np.random.default_rng(batch)
    actions, commands = np.zeros(batch, np.int64), np.full(batch, RESET, np.int8)
    for _ in range(40):
        before = matches.states.copy()
        result, expected = matches.step(actions, commands), alone.step(actions, commands)
        for field, got, known in zip(result._fields, result, expected, strict=True):
            np.testing.assert_array_equal(got, known, field)
        np.testing.assert_array_equal(matches.states[commands == HOLD], before[commands == HOLD])
        np.testing.assert_array_equal(result.reward[commands != PLAY], 0)
        commands = generator.choice(np.array([PLAY, PLAY, PLAY, HOLD, RESET], np.int8), batch)
        commands[(result.outcome != 0) & (commands == PLAY)] = RESET
        alone.rng[:] = matches.rng
        actions = matches.sample()
        np.testing.assert_array_equal(alone.sample(), actions)
        np.testing.assert_array_equal(matches.is_legal(actions), alone.is_legal(actions))
        actions[commands != PLAY] = generator.integers(-(2**40), 2**40)  # must not be read
    flags = np.arange(batch) % 2 == 1
    fresh, known = (each.restart(flags, each.look()) for each in (matches, alone))
    for field, got, expected in zip(fresh._fields, fresh, known, strict=True):
        np.testing.assert_array_equal(got, expected, field)
