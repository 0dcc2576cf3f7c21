"""MaskablePPO of sb3-contrib against an opponent, in a Gymnasium environment.

Source: https://sb3-contrib.readthedocs.io/en/master/modules/ppo_mask.html
"""

import argparse
import time

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import MaskedPolicy

IDS = {"alquerque": "alquerque/Alquerque-v0", "fetaix": "alquerque/Fetaix-v0"}


def train(game: str, steps: int) -> MaskablePPO:
    """Trains against `random`, from both seats."""
    env = gymnasium.make(IDS[game], opponent="random", observation="flat")
    model = MaskablePPO("MlpPolicy", env, seed=0)
    return model.learn(steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=IDS)
    parser.add_argument("--steps", type=int, default=40_000)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in arguments.games:
        start = time.monotonic()
        model = train(game, arguments.steps)
        print(f"{game}: {arguments.steps} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(MaskedPolicy(model), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
