"""The readers of the step table, the engine and columns in vectors and in NumPy, tell the same to the bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import batch_digest
import numpy as np
import pytest

from alquerque_env import load_game
from alquerque_env.batch.batch import make_matches
from alquerque_env.batch.scalar_batch import Lockstep
from alquerque_env.batch.step_result import BEGIN, HOLD, PLAY
from alquerque_env.engine.compiler import JIT


@pytest.mark.skipif(not JIT, reason="there is only one reader without Numba")
def test_both_readers_agree_in_every_field_under_every_option_value() -> None:
    script = Path(batch_digest.__file__)
    environment = {**os.environ, "ALQUERQUE_JIT": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    plain = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    with plain:
        compiled = batch_digest.digests()
        by_numpy = json.loads(plain.communicate(timeout=600)[0])
    assert plain.returncode == 0
    assert compiled.keys() == by_numpy.keys()
    assert len(compiled) > 200
    differing = {case: digests for case, digests in compiled.items() if digests != by_numpy[case]}
    assert not differing, sorted(differing)[:5]


@pytest.mark.skipif(not JIT, reason="there are no vectors without Numba")
def test_vectors_tell_what_the_engine_tells_under_every_option_value() -> None:
    in_vectors = 0
    for name, game in batch_digest.every_game():
        if type(make_matches(game, 24)) is not Lockstep:
            in_vectors += 1
            by_engine = list(batch_digest.play(game, 24, Lockstep))
            assert list(batch_digest.play(game, 24)) == by_engine, name
    assert in_vectors > 80


@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
@pytest.mark.parametrize("batch", [8, 16, 33, 1024])
def test_matches_that_are_held_or_begun_anew_do_not_disturb_others(name: str, batch: int) -> None:
    game = load_game(name)
    matches, alone = make_matches(game, batch), Lockstep(game, batch) if JIT else make_matches(game, batch)
    generator = np.random.default_rng(batch)
    actions, orders = np.zeros(batch, np.int64), np.full(batch, BEGIN, np.int8)
    for _ in range(40):
        before = matches.states.copy()
        frame, expected = matches.step(actions, orders), alone.step(actions, orders)
        for field, told, known in zip(frame._fields, frame, expected, strict=True):
            np.testing.assert_array_equal(told, known, field)
        np.testing.assert_array_equal(matches.states[orders == HOLD], before[orders == HOLD])
        np.testing.assert_array_equal(frame.reward[orders != PLAY], 0)
        orders = generator.choice(np.array([PLAY, PLAY, PLAY, HOLD, BEGIN], np.int8), batch)
        orders[(frame.outcome != 0) & (orders == PLAY)] = BEGIN
        alone.rng[:] = matches.rng
        actions = matches.sample()
        actions[orders != PLAY] = generator.integers(-(2**40), 2**40)  # nobody may look at it
