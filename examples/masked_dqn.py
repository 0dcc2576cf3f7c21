"""DQN of Tianshou against an opponent. It reads the action mask from the observation.

Source: https://github.com/thu-ml/tianshou/blob/v2.0.1/examples/discrete/discrete_dqn.py
"""

import sys
import time
from functools import partial

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import alquerque_env
from alquerque_env.adapters.tianshou import MaskInObservation

IDS = {
    "alquerque": "alquerque/Alquerque-v0",
    "fetaix": "alquerque/Fetaix-v0",
    "felli_simplified": "alquerque/FelliSimplified-v0",
}
SOLVED = "felli_simplified"  # comes with the exact values of all its positions
STEPS = 60_000


def make_env(game: str) -> gymnasium.Env:
    """Makes a match against `random`, from either seat."""
    return MaskInObservation(gymnasium.make(IDS[game], opponent="random", observation="flat"))


def train(game: str) -> DiscreteQLearningPolicy:
    """Trains in 32 matches at once. The share of random steps falls from 1 to 0.05 in the first half."""
    np.random.seed(0)  # noqa: NPY002 - Tianshou draws from it
    torch.manual_seed(0)
    envs = DummyVectorEnv([lambda: make_env(game) for _ in range(32)])
    envs.seed(0)
    env = make_env(game)
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=(256, 256))
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space)
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=5e-4), n_step_return_horizon=3, target_update_freq=500)
    collector = Collector(algorithm, envs, VectorReplayBuffer(50_000, 32), exploration_noise=True)
    collector.reset()

    def begin_collecting(_epoch: int, step: int) -> None:
        policy.set_eps_training(max(0.05, 1 - 2 * step / STEPS))
        if game == SOLVED and step % 9600 == 0:
            given = {"observation": "flat", "batched": True}
            errors = alquerque_env.measure_errors(partial(choose, policy), game, 2000, **given)
            print(f"{game}: exact regret {errors.regret.value:.3f} after {step} steps", flush=True)

    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            training_fn=begin_collecting,
            max_epochs=1,
            epoch_num_steps=STEPS,
            collection_step_num_env_steps=96,
            update_step_num_gradient_steps_per_sample=1 / 8,
            batch_size=128,
            verbose=False,
            show_progress=False,
        )
    )
    return policy


def choose(policy: DiscreteQLearningPolicy, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Returns the actions of the highest values."""
    return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or IDS:
        start = time.monotonic()
        policy = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(partial(choose, policy), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
