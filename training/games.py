"""What training asks of the games it plays: the part of `alquerque_env.SelfPlayVectorEnv` that it uses."""

from typing import Any, NamedTuple, Protocol

import numpy as np

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
