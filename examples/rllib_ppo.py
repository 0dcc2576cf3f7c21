"""PPO of RLlib by self-play, with RLlib's module for action masks: one policy plays both sides.

With `--address HOST:PORT` the matches are played on the machines of a Ray cluster, where this package is installed too.

Sources: https://docs.ray.io/en/latest/rllib/multi-agent-envs.html
https://github.com/ray-project/ray/blob/master/rllib/examples/rl_modules/action_masking_rl_module.py
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
import ray
import torch
from ray import tune
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import alquerque_env
from alquerque_env.adapters.bots import Policy
from alquerque_env.adapters.rllib import env_creator

GAMES = ("alquerque", "fetaix", "felli_simplified")
STEPS = 100_000


def connect(address: str = "local", cpus: int = 1) -> None:
    """Connects to a Ray cluster, or starts one on this machine; has no effect when called again."""
    size = {"num_cpus": cpus, "include_dashboard": False} if address == "local" else {}
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **size)


def train(game: str, steps: int = STEPS, seed: int = 0, env_runners: int = 0) -> Iterator[tuple[int, Policy]]:
    """Trains with some processes that play eight matches each, 0 for this one; yields steps and policy."""
    connect()
    tune.register_env("alquerque_env", env_creator)
    config = (
        PPOConfig()
        .environment("alquerque_env", env_config={"game": game})
        .env_runners(num_env_runners=env_runners, num_envs_per_env_runner=8)
        .learners(num_learners=0, num_gpus_per_learner=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_args, **_kwargs: "shared")
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"fcnet_hiddens": [64, 64], "vf_share_layers": False},
            )
        )
        .training(train_batch_size_per_learner=4000, minibatch_size=500, num_epochs=6, lr=1e-3)
        .training(gamma=0.99, lambda_=0.95, entropy_coeff=0.01)
        .debugging(seed=seed, log_level="ERROR")
    )
    algo = config.build_algo()
    done = 0
    yield done, as_policy(algo.get_module("shared"))
    while done < steps:
        done = int(algo.train()["num_env_steps_sampled_lifetime"])
        yield done, as_policy(algo.get_module("shared"))
    algo.stop()


def as_policy(module: RLModule) -> Policy:
    """Returns a trained module as a function from observations and action masks to actions."""

    def choose(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        seen = {"observations": torch.from_numpy(observation), "action_mask": torch.from_numpy(action_mask).float()}
        return module.forward_inference({"obs": seen})["action_dist_inputs"].argmax(1).numpy()

    return choose


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--env-runners", type=int, default=2)
    parser.add_argument("--address", default="local", help="of a Ray cluster; by default one is started here")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # faster for networks as small as these
    connect(arguments.address, arguments.env_runners)
    for game in arguments.games:
        start = time.monotonic()
        for done, policy in train(game, env_runners=arguments.env_runners):
            if game == "felli_simplified":  # comes with the exact values of all its positions
                errors = alquerque_env.measure_errors(policy, game, kind="natural", observation="flat", batched=True)
                print(f"{game}: natural regret {errors.regret.value:.3f} after {done} steps", flush=True)
        print(f"{game}: {done} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(policy, game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
