"""A solved game of taking counters from a heap, with turns of several steps and two ways to end, as games for PPO.

It has the interface of `alquerque_env.SelfPlayVectorEnv` and none of its code, so that an error in one does not hide in
the other.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from alquerque_training.config.settings import Config
from alquerque_training.ppo import PPOLearner
from alquerque_training.run.config_file import parse_config

from alquerque_env import load_game

HEAP, POISON = 16, 7


class HeapEnv:
    """Take one, two or three; the last one wins, who leaves seven loses, who leaves a multiple of five goes on."""

    plane_scale = np.array([1, 2], np.float32)

    def __init__(self, num_envs: int, max_cycles: int | None = None) -> None:
        self.num_envs, self.max_cycles = num_envs, max_cycles or 10**6
        self.heap, self.player, self.clock, self.matches = (np.zeros(num_envs, np.int64) for _ in range(4))
        self.ended = np.zeros(num_envs, bool)
        self.seed = np.array(0)

    def reset(self, *, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        self.seed = np.array(seed)
        self.matches[:] = 0
        for row in range(self.num_envs):
            self.restart(row)
        return self.observe()

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        rewards = np.zeros(self.num_envs, np.float32)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        for row, action in enumerate(actions):
            if self.ended[row]:
                self.restart(row)
                continue
            assert action < self.heap[row], "illegal action"
            self.heap[row] -= action + 1
            self.clock[row] += 1
            rewards[row] = {0: 1, POISON: -1}.get(self.heap[row], 0)
            self.player[row] ^= self.heap[row] % 5 != 0
            terminated[row] = rewards[row] != 0
            truncated[row] = not terminated[row] and self.clock[row] == self.max_cycles
            self.ended[row] = terminated[row] or truncated[row]
        return self.observe()[0], rewards, terminated, truncated, self.observe()[1]

    def choose(self, bot: Callable[[int], int], envs: np.ndarray) -> np.ndarray:
        return np.array([bot(int(self.heap[env])) for env in envs], np.int64)

    def restart(self, row: int) -> None:
        generator = np.random.default_rng([int(self.seed), row, self.matches[row]])
        self.heap[row] = generator.choice([heap for heap in range(1, HEAP) if heap != POISON])
        self.matches[row] += 1
        self.player[row] = self.clock[row] = self.ended[row] = 0

    def observe(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        planes = np.zeros((self.num_envs, 2, HEAP), np.int8)
        planes[np.arange(self.num_envs), 0, self.heap] = 1
        planes[:, 1] = 2
        mask = (np.arange(3) < self.heap[:, None]) & ~self.ended[:, None]
        return planes, {"action_mask": mask.astype(np.int8), "player": self.player.astype(np.int8)}


def solve() -> dict[int, int]:
    """Value of each heap for the player to move."""
    values: dict[int, int] = {}
    for heap in range(1, HEAP):
        values[heap] = max(value_of(heap - take, values) for take in range(1, min(3, heap) + 1))
    return values


def value_of(left: int, values: dict[int, int]) -> int:
    """Value, for who left it, of what is left of a heap."""
    if left in (0, POISON):
        return 1 if left == 0 else -1
    return values[left] if left % 5 == 0 else -values[left]


def heap_learner(config: Config, games: HeapEnv) -> PPOLearner:
    """A learner of these games; its bots are those of no game of the package."""
    return PPOLearner(config, load_game("alquerque"), games=games)


def heap_config(**run: Any) -> Config:
    return parse_config(
        {
            "run": {"total_steps": 40_960, **run},
            "self_play": {"num_games": 64, "rollout_steps": 16},
            "ppo": {"minibatch_size": 256, "learning_rate": 5e-3, "epochs": 4},
            "network": {"width": 32, "blocks": 1},
        },
        "test",
    )
