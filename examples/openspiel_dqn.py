"""DQN of OpenSpiel against random steps, in OpenSpiel's environment.

Source: https://github.com/google-deepmind/open_spiel/blob/master/open_spiel/python/examples/dqn_breakthrough_pytorch.py
"""

import sys
import time

import numpy as np
import torch
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import random_agent
from open_spiel.python.pytorch import dqn

import alquerque_env
from alquerque_env.adapters import openspiel
from alquerque_env.adapters.bots import Policy

GAMES = {"alquerque": "python_alquerque", "fetaix": "python_fetaix"}
STEPS = 60_000


def train(name: str) -> dqn.DQN:
    """Trains against a random agent from both seats: each player sees the board in its own frame."""
    env = rl_environment.Environment(GAMES[name])
    num_actions = env.action_spec()["num_actions"]
    agent = dqn.DQN(
        player_id=0,
        state_representation_size=env.observation_spec()["info_state"][0],
        num_actions=num_actions,
        hidden_layers_sizes=[128, 128],
        replay_buffer_capacity=50_000,
        batch_size=128,
        learning_rate=1e-3,
        optimizer_str="adam",
        loss_str="huber",
        learn_every=4,
        update_target_network_every=500,
        discount_factor=0.97,
        epsilon_decay_schedule_str="linear",
        epsilon_decay_duration=STEPS // 4,
        epsilon_end=0.05,
        seed=0,
    )
    episode = 0
    while agent.step_counter < STEPS:
        agent.player_id = episode % 2
        agents = [random_agent.RandomAgent(player, num_actions) for player in (0, 1)]
        agents[agent.player_id] = agent
        time_step = env.reset()
        while not time_step.last():
            output = agents[time_step.current_player()].step(time_step)
            time_step = env.step([output.action])
        agent.step(time_step)  # the last reward
        episode += 1
    return agent


def as_policy(agent: dqn.DQN) -> Policy:
    """Returns what the agent has learned as a function from observation and action mask to action."""
    return lambda observation, action_mask: agent.act_epsilon_greedy(observation, np.flatnonzero(action_mask), 0)[0]


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    openspiel.register()
    for name in sys.argv[1:] or GAMES:
        start = time.monotonic()
        agent = train(name)
        print(f"{name}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(as_policy(agent), name, games=200, observation="flat")
        print(f"{name}: won {result.wins} of {result.games}", flush=True)
