"""Augmentation for PPO: each match is turned or mirrored as a whole.

The symmetry is drawn when a match begins, not in the update, so that the old and new probabilities that PPO compares
are those of the same observation.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from alquerque_env.bots import Bot
from alquerque_env.game.symmetry import Symmetry
from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator


class SymmetricGames:
    """Wraps `SelfPlayGames` and shows each game under its own random symmetry.

    Args:
      games: The games.
      symmetries: Symmetries of the game, with the identity.
    """

    def __init__(self, games: SelfPlayGames, symmetries: Sequence[Symmetry]) -> None:
        self._games = games
        self.num_envs, self.plane_scale = games.num_envs, games.plane_scale
        # Where each plane, point and action of an image comes from.
        self._planes, self._points, self._actions = (
            np.array([getattr(symmetry, what) for symmetry in symmetries]).argsort(1)
            for what in ("planes", "points", "actions")
        )
        self._images = np.array([symmetry.actions for symmetry in symmetries])
        self._generator = np.random.Generator(np.random.PCG64(0))
        self._chosen = np.zeros(self.num_envs, np.int64)
        self._ended = np.ones(self.num_envs, bool)

    def reset(self, *, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """As `SelfPlayGames.reset`."""
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._ended[:] = True
        self._draw()
        self._ended[:] = False
        return self._show(*self._games.reset(seed=seed))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As `SelfPlayGames.step`."""
        meant = self._actions[self._chosen, actions]
        self._draw()
        planes, rewards, terminated, truncated, info = self._games.step(meant)
        self._ended = terminated | truncated
        image, info = self._show(planes, info)
        return image, rewards, terminated, truncated, info

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """As `SelfPlayGames.choose`."""
        return self._images[self._chosen[envs], self._games.choose(bot, envs)]

    def get_state(self) -> dict[str, np.ndarray]:
        """As `SelfPlayGames.get_state`."""
        state = {f"games.{name}": array for name, array in self._games.get_state().items()}
        mirrors = {"generator": pack_generator(self._generator), "chosen": self._chosen, "ended": self._ended}
        return state | {name: array.copy() for name, array in mirrors.items()}

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, Any]]:
        """As `SelfPlayGames.set_state`."""
        unpack_generator(self._generator, state["generator"])
        self._chosen, self._ended = np.array(state["chosen"]), np.array(state["ended"])
        games = {name: state[f"games.{name}"] for name in self._games.get_state()}
        return self._show(*self._games.set_state(games))

    def _draw(self) -> None:
        """Draws symmetries for the matches that begin with the next observation."""
        begin = np.flatnonzero(self._ended)
        self._chosen[begin] = self._generator.integers(len(self._points), size=len(begin))

    def _show(self, planes: np.ndarray, info: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
        rows = np.arange(self.num_envs)[:, None, None]
        image = planes[rows, self._planes[self._chosen][:, :, None], self._points[self._chosen][:, None, :]]
        mask = np.take_along_axis(info["action_mask"], self._actions[self._chosen], 1)
        return image, {**info, "action_mask": mask}
