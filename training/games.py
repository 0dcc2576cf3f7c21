"""What training asks of the games it plays: the part of `alquerque_env.SelfPlayVectorEnv` that it uses."""

from typing import Any, NamedTuple, Protocol

import gymnasium
import numpy as np


class SelfPlayGames(Protocol):
    """Many games at once, each asking for the action of whoever is to move; autoreset NEXT_STEP.

    Attributes:
      num_envs: Games, `B`.
      plane_scale: `[C]` divides the planes, so that they are in [0, 1].
      single_observation_space: Of shape `(C, P)`.
      single_action_space: Of size `A`.
    """

    num_envs: int
    plane_scale: np.ndarray
    single_observation_space: gymnasium.spaces.Box
    single_action_space: gymnasium.spaces.Discrete

    def reset(self, *, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts all games; returns `[B, C, P]` planes and `action_mask` `[B, A]`, `player` `[B]`."""
        ...

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays a `[B]` action in each game; returns planes, rewards, terminated, truncated and the infos of `reset`.

        Rewards are in the eyes of who acted. After an end the mask is all zeros; the next action in that game is
        ignored and starts another one.
        """
        ...

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the games go on, random numbers included."""
        ...

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Goes back to a state."""
        ...


class Observation(NamedTuple):
    """What the players see now.

    Attributes:
      planes: `[B, C, P]` int8, in the frame of the player to move.
      mask: `[B, A]` int8, 1 where an action is legal; a row of zeros where a game has ended and is about to be reset.
      player: `[B]` int8 0 or 1, the player to move.
    """

    planes: np.ndarray
    mask: np.ndarray
    player: np.ndarray
