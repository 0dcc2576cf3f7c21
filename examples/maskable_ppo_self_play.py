"""MaskablePPO of sb3-contrib by self-play: the opponent is an earlier copy of the model.

Source: https://sb3-contrib.readthedocs.io/en/master/modules/ppo_mask.html
"""

import sys
import time
from collections.abc import Iterator

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import FrozenOpponent, MaskedPolicy, gymnasium_vec_to_sb3_vec_env_v0

IDS = {
    "alquerque": "alquerque/Alquerque-v0",
    "fetaix": "alquerque/Fetaix-v0",
    "felli_simplified": "alquerque/FelliSimplified-v0",
    "pretwa": "alquerque/Pretwa-v0",
}
STEPS = 150_000
FREEZE_EVERY = 10_000


def train(game: str, steps: int = STEPS, seed: int = 0) -> Iterator[tuple[int, MaskedPolicy]]:
    """Trains against a copy that is renewed every 10,000 steps, in 64 matches at once; yields steps and policy."""
    opponent = FrozenOpponent(game, observation="flat", seed=seed)
    batch = gymnasium.make_vec(IDS[game], 64, opponent=opponent, observation="flat", autoreset_mode="SameStep")
    env = gymnasium_vec_to_sb3_vec_env_v0(batch)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=4, ent_coef=0.01, seed=seed)
    yield 0, MaskedPolicy(model)
    renew = opponent.callback(FREEZE_EVERY)
    while model.num_timesteps < steps:
        model.learn(FREEZE_EVERY, callback=renew, reset_num_timesteps=False)
        yield model.num_timesteps, MaskedPolicy(model)


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or ("alquerque", "fetaix"):
        start = time.monotonic()
        for done, policy in train(game):
            if game == "felli_simplified":  # comes with the exact values of all its positions
                errors = alquerque_env.measure_errors(policy, game, kind="natural", observation="flat", batched=True)
                print(f"{game}: natural regret {errors.regret.value:.3f} after {done} steps", flush=True)
        print(f"{game}: {done} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(policy, game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
