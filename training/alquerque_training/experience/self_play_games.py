"""The interface of the games that PPO plays, and the metrics of games that ended.

`alquerque_env.SelfPlayVectorEnv` implements it, by arrays or, with its backend "torch", by tensors on a device.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots import Bot

Values = np.ndarray | Tensor  # arrays, or tensors on the device of the games


class SelfPlayGames(Protocol):
    """Many games at once; an action is that of the player to move in its game. Autoreset is NEXT_STEP.

    Games with a `device` take and return tensors there; others take and return arrays. `[C]` `plane_scale` divides the
    planes, so that they are in [0, 1].
    """

    num_envs: int
    plane_scale: np.ndarray

    def reset(self, *, seed: int) -> tuple[Values, dict[str, Any]]:
        """Starts all games; returns `[B, C, P]` planes and `action_mask` `[B, A]`, `player` `[B]`."""

    def step(self, actions: Any) -> tuple[Values, Values, Values, Values, dict[str, Any]]:
        """Plays `[B]` actions, one a game; returns planes, rewards, terminated, truncated and infos as in `reset`.

        Rewards are those of the player who acted. After the end of a game its mask is all zeros; the next action in
        that game is ignored and resets it.
        """

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """The actions of a bot, int64 `[K]`, in the `[K]` games `envs`, none of which may have ended."""

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state of the games, random numbers included."""

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[Values, dict[str, Any]]:
        """Restores a state; returns its observation, as `reset` does."""


class Observation(NamedTuple):
    """The observation of the player to move in each game.

    Attributes:
      planes: `[B, C, P]` int8, in the frame of the player to move.
      mask: `[B, A]` int8, 1 where an action is legal; a row of zeros where a game has ended and will be reset.
      player: `[B]` int8 0 or 1, the player to move.
    """

    planes: Tensor
    mask: Tensor
    player: Tensor

    @classmethod
    def of(cls, planes: Values, info: dict[str, Any]) -> "Observation":
        """From what `reset`, `step` and `set_state` return."""
        return cls(*(torch.as_tensor(values) for values in (planes, info["action_mask"], info["player"])))


def device_of(games: SelfPlayGames) -> torch.device | None:
    """Where games take and return tensors; None if they take and return arrays."""
    return getattr(games, "device", None)


def play(games: SelfPlayGames, actions: Tensor) -> tuple[Observation, Tensor, Tensor, Tensor]:
    """Plays `[B]` actions; returns the observation, rewards, terminated and truncated as tensors."""
    given = actions.numpy() if device_of(games) is None else actions
    planes, *rest, info = games.step(given)
    rewards, terminated, truncated = (torch.as_tensor(values) for values in rest)
    return Observation.of(planes, info), rewards, terminated, truncated


class GameCounter:
    """Counts the games that end, and their steps, from one rollout to the next: see `games` in `measure.metrics`."""

    def __init__(self, num_games: int) -> None:
        self._steps = torch.zeros(num_games, dtype=torch.int64)

    def count(
        self, *, live: Tensor, decided: Tensor, players: Tensor, rewards: Tensor, terminated: Tensor, truncated: Tensor
    ) -> dict[str, float]:
        """Counts the games that end in the next `L` steps, for the log.

        Args:
          live: `[L, B]` false where the step only reset a game.
          decided: `[L, B]` whether the step was a choice: neither forced nor a random step of an opening.
          players: `[L, B]` 0 or 1, the player who acted.
          rewards: `[L, B]` for the player who acted.
          terminated: `[L, B]`, ended by the rules.
          truncated: `[L, B]`, ended by a limit of the config.
        """
        self._steps = self._steps.to(live.device)
        lengths = torch.zeros_like(live, dtype=torch.int64)
        for step, ended in enumerate(terminated | truncated):
            self._steps = self._steps + (live[step] & (decided[step] | (self._steps > 0)))
            lengths[step] = torch.where(ended, self._steps, 0)
            self._steps = torch.where(ended, 0, self._steps)
        counted = lengths > 0
        # The reward is the mover's; player_0 also wins where player_1 loses by its own step.
        won = rewards * (1 - 2 * players) > 0
        outcomes = (won, terminated & (rewards == 0), truncated)
        sums = [counted.sum(), lengths.sum(), *((counted & outcome).sum() for outcome in outcomes)]
        games, steps, player_0_wins, draws, cut = torch.stack(sums).tolist()  # the one question to the device
        return describe_games(games, steps, player_0_wins=player_0_wins, draws=draws, truncated=cut)

    def get_state(self) -> dict[str, np.ndarray]:
        """Steps so far of each game in progress."""
        return {"steps": self._steps.cpu().numpy().copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self._steps = torch.from_numpy(np.array(state["steps"]))


def describe_games(games: int, steps: int, **outcomes: int) -> dict[str, float]:
    """Metrics of games that ended: from all their steps, and how many had each outcome; their number if none did."""
    if games == 0:
        return {"games": 0}
    shares = {name: number / games for name, number in outcomes.items()}
    return {"games": games, "game_length": round(steps / games, 2), **shares}
