"""An AEC environment that only does what the framework requires: an upper limit for the speed of every other."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

AGENTS = ("player_0", "player_1")
LENGTH = 50


class EmptyEnv(AECEnv):
    """Two agents act in turn; all actions are legal; a match lasts 50 steps."""

    metadata = {"name": "empty_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.possible_agents = list(AGENTS)
        self.render_mode = None
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (4, 25), np.int8),
                    "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(num_actions) for agent in AGENTS}
        self._observation = np.ones((4, 25), np.int8)
        self._mask = np.ones(num_actions, np.int8)

    def observation_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Starts a match."""
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"action_mask": self._mask} for agent in AGENTS}
        self.agent_selection = AGENTS[0]
        self._steps = 0

    def observe(self, agent: str) -> dict[str, np.ndarray]:  # noqa: ARG002
        """The same numbers at every call, in new arrays."""
        return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}

    def step(self, action: int | None) -> None:
        """Counts a step and passes the turn."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self._cumulative_rewards[agent] = 0
        if self._steps == LENGTH:
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self._steps % 2]
        self._accumulate_rewards()
