"""DQN of Tianshou by self-play. It reads the action mask from the observation.

Source: https://github.com/thu-ml/tianshou/blob/v2.0.1/examples/discrete/discrete_dqn.py
"""

import sys
import time
from collections.abc import Iterator
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
from alquerque_env.adapters.bots import Policy, PolicyBot
from alquerque_env.adapters.tianshou import MaskInObservation

IDS = {
    "alquerque": "alquerque/Alquerque-v0",
    "fetaix": "alquerque/Fetaix-v0",
    "felli_simplified": "alquerque/FelliSimplified-v0",
    "pretwa": "alquerque/Pretwa-v0",
}
STEPS, YIELD_EVERY = 60_000, 9_600
RANDOM = 0.1  # share of random steps of the opponent


def train(game: str, steps: int = STEPS, seed: int = 0) -> Iterator[tuple[int, Policy]]:
    """Trains in 32 matches at once; its random steps fall from 1 to 0.05 in the first half; yields steps and policy."""
    np.random.seed(seed)  # noqa: NPY002 - Tianshou draws from it
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    def oppose(seen: np.ndarray, mask: np.ndarray) -> int:
        is_random = rng.random() < RANDOM
        return rng.choice(np.flatnonzero(mask)) if is_random else choose(policy, seen[None], mask[None])[0]

    def make_env() -> gymnasium.Env:
        opponent = PolicyBot(game, oppose, observation="flat")
        return MaskInObservation(gymnasium.make(IDS[game], opponent=opponent, observation="flat"))

    env = make_env()
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=(256, 256))
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space)
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=5e-4), n_step_return_horizon=3, target_update_freq=500)
    envs = DummyVectorEnv([make_env for _ in range(32)])
    envs.seed(seed)
    collector = Collector(algorithm, envs, VectorReplayBuffer(50_000, 32), exploration_noise=True)
    params = OffPolicyTrainerParams(
        training_collector=collector,
        training_fn=lambda _epoch, step: policy.set_eps_training(max(0.05, 1 - 2 * step / steps)),
        max_epochs=steps // YIELD_EVERY + 1,
        epoch_num_steps=YIELD_EVERY,
        collection_step_num_env_steps=96,
        update_step_num_gradient_steps_per_sample=1 / 8,
        batch_size=128,
        verbose=False,
        show_progress=False,
    )
    trainer, done = algorithm.create_trainer(params), 0
    trainer.reset()
    yield done, partial(choose, policy)
    while done < steps:
        done = trainer.execute_epoch().info_stat.train_step
        yield done, partial(choose, policy)


def choose(policy: DiscreteQLearningPolicy, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Returns the actions of the highest values."""
    return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act


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
