"""MaskablePPO of sb3-contrib against an opponent, with all matches in one batch.

Source: https://sb3-contrib.readthedocs.io/en/master/modules/ppo_mask.html
"""

import sys
import time

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import MaskedPolicy, gymnasium_vec_to_sb3_vec_env_v0

IDS = {
    "alquerque": "alquerque/Alquerque-v0",
    "fetaix": "alquerque/Fetaix-v0",
    "felli_simplified": "alquerque/FelliSimplified-v0",
}
SOLVED = "felli_simplified"  # comes with the exact values of all its positions
STEPS = 150_000


def train(game: str) -> MaskablePPO:
    """Trains against `random`, from both seats, in 64 matches at once."""
    batch = gymnasium.make_vec(IDS[game], 64, opponent="random", observation="flat", autoreset_mode="SameStep")
    env = gymnasium_vec_to_sb3_vec_env_v0(batch)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, seed=0)
    while model.num_timesteps < STEPS:
        model.learn(STEPS // 10, reset_num_timesteps=False)
        if game == SOLVED:
            policy = MaskedPolicy(model)
            errors = alquerque_env.measure_errors(policy, game, kind="natural", observation="flat", batched=True)
            print(f"{game}: natural regret {errors.regret.value:.3f} after {model.num_timesteps} steps", flush=True)
    return model


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or IDS:
        start = time.monotonic()
        model = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(MaskedPolicy(model), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
