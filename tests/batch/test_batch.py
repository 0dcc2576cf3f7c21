"""Batches of every kind hold and reset matches alike; `tests/test_all_forms.py` plays them."""

import numpy as np
import pytest

from alquerque_env import load_game
from alquerque_env.batch.make_batch import make_batch
from tests.all_forms import PlainBatch, compare_steps
from tests.sets import first_by_default


@first_by_default
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_matches_that_are_held_or_reset_do_not_disturb_others(name: str) -> None:
    game = load_game(name)
    matches, alone = make_batch(game, 9), PlainBatch(game, 9)
    compare_steps(alone, matches)
    flags = np.arange(9) % 2 == 1
    fresh, known = (each.restart(flags, each.look()) for each in (matches, alone))
    for field, got, expected in zip(fresh._fields, fresh, known, strict=True):
        np.testing.assert_array_equal(got, expected, field)
