"""Batches by compiled kernels, by plain Python and of match objects return the same results to the bit."""

import numpy as np
import pytest

from alquerque_env import load_game, rollouts
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.batch.match_batch import MatchBatch
from alquerque_env.batch.step_result import HOLD, PLAY, RESET
from alquerque_env.engine.compiler import JIT
from tests import batch_digest
from tests.all_forms import PlainBatch, plain_kernels
from tests.sets import first_by_default

one_in = pytest.mark.parametrize(
    "every", [130, pytest.param(5, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.long)]
)


@pytest.mark.skipif(not JIT, reason="without Numba there is nothing to compare with")
@one_in
def test_compiled_and_plain_batches_agree_in_every_field_under_option_values(every: int) -> None:
    for name, game in batch_digest.sampled_games(every):
        assert list(batch_digest.play(game, 3)) == list(batch_digest.play(game, 3, PlainBatch)), name
        with plain_kernels():
            played = rollouts(game, 4, seed=7)
        for array, plain in zip(rollouts(game, 4, seed=7), played, strict=True):
            np.testing.assert_array_equal(array, plain, name)


@first_by_default
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
@pytest.mark.parametrize("batch", [8, 33])
def test_matches_that_are_held_or_reset_do_not_disturb_others(name: str, batch: int) -> None:
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
        actions[commands != PLAY] = generator.integers(-(2**40), 2**40)  # must not be read


@pytest.mark.parametrize("every", [60, pytest.param(9, marks=pytest.mark.slow)])
def test_a_batch_of_match_objects_agrees_with_the_others_under_option_values(every: int) -> None:
    for name, game in batch_digest.sampled_games(every):
        matches, others = MatchBatch(game, 4), make_batch(game, 4)
        actions, commands = np.zeros(4, np.int64), np.full(4, RESET, np.int8)
        for number in range(50):
            result, expected = matches.step(actions, commands), others.step(actions, commands)
            for field, got, known in zip(result._fields, result, expected, strict=True):
                np.testing.assert_array_equal(got, known, f"{name}: {field}", strict=True)
            np.testing.assert_array_equal(matches.states, others.states)
            actions = matches.sample()
            np.testing.assert_array_equal(actions, others.sample())
            np.testing.assert_array_equal(matches.is_legal(actions), others.is_legal(actions))
            commands = np.where(result.outcome != 0, RESET, PLAY).astype(np.int8)
            commands[number % 4] = HOLD if number % 7 else RESET
        flags = np.array([False, True, False, True])
        fresh, known = matches.restart(flags, matches.look()), others.restart(flags, others.look())
        assert all(match.steps == () for match in (matches.matches[1], matches.matches[3]))
        for field, got, expected in zip(fresh._fields, fresh, known, strict=True):
            np.testing.assert_array_equal(got, expected, f"{name}: {field}")
