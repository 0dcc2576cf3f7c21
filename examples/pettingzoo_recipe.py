"""MaskablePPO of sb3-contrib in a PettingZoo environment, by PettingZoo's tutorial, with an opponent in the other seat.

Source: https://pettingzoo.farama.org/tutorials/sb3/connect_four/
"""

import sys
import time

import numpy as np
import torch
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import ActionMaskWrapper, MaskedPolicy

GAMES = "alquerque", "fetaix"
STEPS = 40_000


def train(game: str) -> MaskablePPO:
    """Trains against uniformly random play; the seat is drawn for each match."""
    generator = np.random.default_rng(0)

    def opponent(_observation: np.ndarray, action_mask: np.ndarray) -> int:
        return generator.choice(np.flatnonzero(action_mask))

    env = ActionMaskWrapper(alquerque_env.env(game, observation="flat"), opponent)
    model = MaskablePPO("MlpPolicy", env, seed=0)
    return model.learn(STEPS)


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or GAMES:
        start = time.monotonic()
        model = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(MaskedPolicy(model), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
