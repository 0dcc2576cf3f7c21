"""Plays matches in lock-step under every option value and prints a digest of all they tell; run by test_lockstep.py."""

import hashlib
import json
import sys

import numpy as np
from test_against_reference import every_value

from alquerque_env import load_game
from alquerque_env.frames import BEGIN
from alquerque_env.game import Game
from alquerque_env.matches import make_matches

# A batch that NumPy plays match by match and one that it plays at once.
BATCHES = (3, 24)
STEPS = 80


def digests() -> dict[str, list[str]]:
    """One digest a step, for each game with its options and each batch."""
    return {
        f"{name} {options} x {batch}": list(play(load_game(name, **options), batch))
        for name, options in every_value()
        for batch in BATCHES
    }


def play(game: Game, batch: int):
    matches = make_matches(game, batch)
    matches.rng[0] = 5
    frame = matches.step(np.zeros(batch, np.int64), np.full(batch, BEGIN, np.int8))
    for _ in range(STEPS):
        content = hashlib.sha256(matches.states.tobytes())
        for name, array in zip(frame._fields, frame, strict=True):
            content.update(f"{name} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        actions = matches.sample()
        content.update(actions.tobytes())
        yield content.hexdigest()[:12]
        assert matches.first_illegal(actions, (frame.outcome == 0).astype(np.int8)) < 0
        frame = matches.step(actions, (frame.outcome == 0).astype(np.int8))


if __name__ == "__main__":
    json.dump(digests(), sys.stdout)
