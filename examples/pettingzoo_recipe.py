"""MaskablePPO of sb3-contrib in a PettingZoo environment, by PettingZoo's tutorial, with an opponent in the other seat.

Source: https://pettingzoo.farama.org/tutorials/sb3/connect_four/
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import torch
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO

import alquerque_env
from alquerque_env.adapters.sb3 import MaskedPolicy

GAMES = "alquerque", "fetaix"
STEPS = 40_000


class ActionMaskWrapper(BaseWrapper, gymnasium.Env):
    """A PettingZoo environment as a Gymnasium environment for one model, whose seat is drawn at each reset.

    The opponent is a function from an observation and an action mask to an action. In the tutorial the model plays both
    sides in turn, and so takes the value of the opponent's position for that of its own.
    """

    def __init__(self, env: Any, opponent: Callable[[np.ndarray, np.ndarray], int]) -> None:
        super().__init__(env)
        self._opponent = opponent
        agent = self.possible_agents[0]
        self.observation_space = env.observation_space(agent)["observation"]
        self.action_space = env.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begins a match, which the opponent opens if the seat of the model is not first."""
        BaseWrapper.reset(self, seed, options)
        gymnasium.Env.reset(self, seed=seed)
        self._seat = self.possible_agents[self.np_random.integers(2)]
        self._answer()
        return self.observe(self._seat), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Plays an action of the model, and then those of the opponent."""
        BaseWrapper.step(self, int(action))
        self._answer()
        seat = self._seat
        return self.observe(seat), float(self.rewards[seat]), self.terminations[seat], self.truncations[seat], {}

    def observe(self, agent: str) -> np.ndarray:
        """What an agent sees, without the mask."""
        return super().observe(agent)["observation"]

    def action_masks(self) -> np.ndarray:
        """Bool `[A]`, the legal actions; MaskablePPO asks for them."""
        return super().observe(self._seat)["action_mask"].astype(bool)

    def _answer(self) -> None:
        while self.agent_selection != self._seat and not any(self.terminations.values()):
            seen = super().observe(self.agent_selection)
            BaseWrapper.step(self, int(self._opponent(seen["observation"], seen["action_mask"])))


def train(game: str) -> MaskablePPO:
    """Trains against uniformly random play; the seat is drawn for each match."""
    generator = np.random.default_rng(0)

    def opponent(_observation: np.ndarray, action_mask: np.ndarray) -> int:
        return generator.choice(np.flatnonzero(action_mask))

    env = ActionMaskWrapper(alquerque_env.env(game, observation="flat"), opponent)
    model = MaskablePPO("MlpPolicy", env, seed=0)
    return model.learn(STEPS)


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or GAMES:
        start = time.monotonic()
        model = train(game)
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(MaskedPolicy(model), game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
