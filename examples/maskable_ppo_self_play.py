"""MaskablePPO of sb3-contrib by self-play: the opponent is an earlier copy of the model.

Source: https://sb3-contrib.readthedocs.io/en/master/modules/ppo_mask.html
"""

import sys
import time

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import FrozenOpponent, MaskedPolicy, gymnasium_vec_to_sb3_vec_env_v0

IDS = {"alquerque": "alquerque/Alquerque-v0", "fetaix": "alquerque/Fetaix-v0"}
STEPS = 150_000
FREEZE_EVERY = 10_000


def train(game: str) -> MaskablePPO:
    """Trains against a copy that is renewed every 10,000 steps, in 64 matches at once."""
    opponent = FrozenOpponent(game, observation="flat", seed=0)
    batch = gymnasium.make_vec(IDS[game], 64, opponent=opponent, observation="flat", autoreset_mode="SameStep")
    env = gymnasium_vec_to_sb3_vec_env_v0(batch)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, seed=0)
    return model.learn(STEPS, callback=opponent.callback(FREEZE_EVERY))


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or IDS:
        start = time.monotonic()
        model = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(MaskedPolicy(model), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
