"""What training asks of the games it plays, and what it tells of those that ended.

It asks for the part of `alquerque_env.SelfPlayVectorEnv` that it uses.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots import Bot


class SelfPlayGames(Protocol):
    """Many games at once, each asking for the action of whoever is to move; autoreset NEXT_STEP.

    Attributes:
      num_envs: Games, `B`.
      plane_scale: `[C]` divides the planes, so that they are in [0, 1].
    """

    num_envs: int
    plane_scale: np.ndarray

    def reset(self, *, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts all games; returns `[B, C, P]` planes and `action_mask` `[B, A]`, `player` `[B]`."""
        ...

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays a `[B]` action in each game; returns planes, rewards, terminated, truncated and the infos of `reset`.

        Rewards are in the eyes of who acted. After an end the mask is all zeros; the next action in that game is
        ignored and starts another one.
        """
        ...

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """What a bot plays in some of the games, none of them ended: int64 `[K]` actions for the `[K]` games."""
        ...

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the games go on, random numbers included."""
        ...

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, Any]]:
        """Goes back to a state; returns what was seen there, as `reset` does."""
        ...


class Observation(NamedTuple):
    """What the players see at one moment.

    Attributes:
      planes: `[B, C, P]` int8, in the frame of the player to move.
      mask: `[B, A]` int8, 1 where an action is legal; a row of zeros where a game has ended and is about to be reset.
      player: `[B]` int8 0 or 1, the player to move.
    """

    planes: np.ndarray
    mask: np.ndarray
    player: np.ndarray

    @classmethod
    def of(cls, planes: np.ndarray, info: dict[str, Any]) -> "Observation":
        """From what `reset`, `step` and `set_state` return."""
        return cls(planes, info["action_mask"], info["player"])


class GameCounter:
    """Counts the games that end, and their steps, from one rollout to the next: see `games` in `measure.metrics`.

    Args:
      num_games: Played at once, `B`.
    """

    def __init__(self, num_games: int) -> None:
        self._steps = torch.zeros(num_games, dtype=torch.int64)

    def count(
        self,
        *,
        live: Tensor,
        decided: Tensor,
        players: Tensor,
        rewards: Tensor,
        terminated: Tensor,
        truncated: Tensor,
    ) -> dict[str, float]:
        """What became of the games that ended in the next `L` steps, for the log.

        Args:
          live: `[L, B]` false where the step only began a game anew.
          decided: `[L, B]` whether it was a decision, neither forced nor the random step of an opening.
          players: `[L, B]`, who acted.
          rewards: `[L, B]` for the player who acted.
          terminated: `[L, B]`, ended by the rules.
          truncated: `[L, B]`, cut short.
        """
        lengths = torch.zeros_like(live, dtype=torch.int64)
        for step, ended in enumerate(terminated | truncated):
            self._steps += live[step] & (decided[step] | (self._steps > 0))
            lengths[step] = torch.where(ended, self._steps, 0)
            self._steps[ended] = 0
        counted = lengths > 0
        # The reward is the mover's; player_0 also wins where player_1 loses by its own step.
        player_0_wins = rewards * (1 - 2 * players) > 0
        return describe_games(
            int(counted.sum()),
            int(lengths.sum()),
            player_0_wins=int((counted & player_0_wins).sum()),
            draws=int((counted & terminated & (rewards == 0)).sum()),
            truncated=int((counted & truncated).sum()),
        )

    def get_state(self) -> dict[str, np.ndarray]:
        """Steps so far of the games in progress."""
        return {"steps": self._steps.numpy().copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes back to what `get_state` gave."""
        self._steps = torch.from_numpy(np.array(state["steps"]))


def describe_games(games: int, steps: int, **outcomes: int) -> dict[str, float]:
    """For the log, what became of games that ended; of none, nothing but their number.

    Args:
      games: How many.
      steps: In all of them.
      outcomes: How many of them ended in each way, by the name of its metric.
    """
    if games == 0:
        return {"games": 0}
    shares = {name: number / games for name, number in outcomes.items()}
    return {"games": games, "game_length": round(steps / games, 2), **shares}
