"""PPO of Tianshou against an opponent. Its actor leaves the illegal actions out.

Source: https://github.com/thu-ml/tianshou/blob/v2.0.1/test/discrete/test_ppo_discrete.py
"""

import sys
import time
from functools import partial

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net, get_dict_state_decorator
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

import alquerque_env
from alquerque_env.adapters.tianshou import MaskedActor, MaskInObservation

IDS = {"alquerque": "alquerque/Alquerque-v0", "fetaix": "alquerque/Fetaix-v0"}
STEPS = 60_000


def make_env(game: str) -> gymnasium.Env:
    """Makes a match against `random`, from either seat."""
    return MaskInObservation(gymnasium.make(IDS[game], opponent="random", observation="flat"))


def train(game: str) -> DiscreteActorPolicy:
    """Trains in 40 matches at once, after every 2,000 steps."""
    np.random.seed(0)  # noqa: NPY002 - Tianshou draws from it
    torch.manual_seed(0)
    envs = DummyVectorEnv([lambda: make_env(game) for _ in range(40)])
    envs.seed(0)
    env = make_env(game)
    actions, shape = env.action_space, env.observation_space["obs"].shape
    net = Net(state_shape=shape, hidden_sizes=(128, 128))
    actor = MaskedActor(DiscreteActor(preprocess_net=net, action_shape=actions.n, softmax_output=False))
    reads_obs, size = get_dict_state_decorator({"obs": shape}, keys=["obs"])  # and not the mask
    critic = DiscreteCritic(preprocess_net=reads_obs(Net)(state_shape=size, hidden_sizes=(128, 128)))
    policy = DiscreteActorPolicy(actor=actor, action_space=actions, deterministic_eval=True)
    algorithm = PPO(policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=1e-3), max_grad_norm=0.5)
    collector = Collector(algorithm, envs, VectorReplayBuffer(2000, 40))
    collector.reset()
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=STEPS,
            collection_step_num_env_steps=2000,
            update_step_num_repetitions=4,
            batch_size=256,
            verbose=False,
            show_progress=False,
        )
    )
    return policy


def choose(policy: DiscreteActorPolicy, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Returns the actions that are most probable."""
    return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or IDS:
        start = time.monotonic()
        policy = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(partial(choose, policy), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
