"""DQN of OpenSpiel by self-play, in OpenSpiel's environment: one network plays both sides, and learns from one.

Source: https://github.com/google-deepmind/open_spiel/blob/master/open_spiel/python/examples/dqn_breakthrough_pytorch.py
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import dqn

import alquerque_env
from alquerque_env.adapters import openspiel
from alquerque_env.adapters.bots import Policy

STEPS = 60_000
YIELD_EVERY = 10_000
RANDOM = 0.1  # share of random steps of the side that does not learn


def train(game: str, steps: int = STEPS, seed: int = 0) -> Iterator[tuple[int, Policy]]:
    """Trains from both seats in turn: each player sees the board in its own frame; yields steps and policy."""
    openspiel.register()
    env = rl_environment.Environment(f"python_{game}")
    agent = dqn.DQN(
        player_id=0,
        state_representation_size=env.observation_spec()["info_state"][0],
        num_actions=env.action_spec()["num_actions"],
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
        epsilon_decay_duration=steps // 4,
        epsilon_end=0.05,
        seed=seed,
    )
    yield 0, as_policy(agent)
    episode, due = 0, YIELD_EVERY
    while agent.step_counter < steps:
        agent.player_id = episode % 2
        time_step = env.reset()
        while not time_step.last():
            player = time_step.current_player()
            if player == agent.player_id:
                action = agent.step(time_step).action
            else:
                seen = time_step.observations
                action, _ = agent.act_epsilon_greedy(seen["info_state"][player], seen["legal_actions"][player], RANDOM)
            time_step = env.step([action])
        agent.step(time_step)  # the last reward
        episode += 1
        if agent.step_counter >= min(due, steps):
            yield agent.step_counter, as_policy(agent)
            due += YIELD_EVERY


def as_policy(agent: dqn.DQN) -> Policy:
    """Returns what the agent has learned as a function from observations and action masks to actions."""

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        rows = zip(observations, masks, strict=True)
        return np.array([agent.act_epsilon_greedy(seen, np.flatnonzero(mask), 0)[0] for seen, mask in rows])

    return choose


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
