"""Augmentation for PPO: each match is turned or mirrored as a whole.

The symmetry is drawn when a match begins, not in the update, so that the old and new probabilities that PPO compares
are those of the same observation.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots import Bot
from alquerque_env.game.symmetry import Symmetry
from alquerque_training.experience.self_play_games import Observation, SelfPlayGames, Values, device_of, play
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator


class SymmetricGames:
    """Wraps `SelfPlayGames` and shows each game under its own random symmetry.

    It takes and returns tensors, also where the games take and return arrays.

    Args:
      games: The games.
      symmetries: Symmetries of the game, with the identity.
    """

    def __init__(self, games: SelfPlayGames, symmetries: Sequence[Symmetry]) -> None:
        self._games = games
        self.num_envs, self.plane_scale = games.num_envs, games.plane_scale
        self.device = device_of(games) or torch.device("cpu")
        # Where each plane, point and action of an image comes from.
        self._planes, self._points, self._actions = (
            torch.tensor(np.array([getattr(symmetry, what) for symmetry in symmetries]).argsort(1), device=self.device)
            for what in ("planes", "points", "actions")
        )
        self._images = np.array([symmetry.actions for symmetry in symmetries])
        self._generator = np.random.Generator(np.random.PCG64(0))
        self._chosen = np.zeros(self.num_envs, np.int64)
        self._ended = np.ones(self.num_envs, bool)

    def reset(self, *, seed: int) -> tuple[Tensor, dict[str, Any]]:
        """As `SelfPlayGames.reset`."""
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._ended[:] = True
        self._draw()
        self._ended[:] = False
        return self._show(*self._games.reset(seed=seed))

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """As `SelfPlayGames.step`."""
        meant = self._actions[self._rows, actions]
        self._draw()
        now, rewards, terminated, truncated = play(self._games, meant)
        self._ended = (terminated | truncated).cpu().numpy()
        image, info = self._show(now.planes, {"action_mask": now.mask, "player": now.player})
        return image, rewards, terminated, truncated, info

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """As `SelfPlayGames.choose`."""
        return self._images[self._chosen[envs], self._games.choose(bot, envs)]

    def get_state(self) -> dict[str, np.ndarray]:
        """As `SelfPlayGames.get_state`."""
        state = {f"games.{name}": array for name, array in self._games.get_state().items()}
        mirrors = {"generator": pack_generator(self._generator), "chosen": self._chosen, "ended": self._ended}
        return state | {name: array.copy() for name, array in mirrors.items()}

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[Tensor, dict[str, Any]]:
        """As `SelfPlayGames.set_state`."""
        unpack_generator(self._generator, state["generator"])
        self._chosen, self._ended = np.array(state["chosen"]), np.array(state["ended"])
        games = {name: state[f"games.{name}"] for name in self._games.get_state()}
        return self._show(*self._games.set_state(games))

    def _draw(self) -> None:
        """Draws symmetries for the matches that begin with the next observation."""
        begin = np.flatnonzero(self._ended)
        self._chosen[begin] = self._generator.integers(len(self._points), size=len(begin))

    @property
    def _rows(self) -> Tensor:
        return torch.from_numpy(self._chosen).to(self.device)

    def _show(self, planes: Values, info: dict[str, Any]) -> tuple[Tensor, dict[str, Any]]:
        now, rows = Observation.of(planes, info), self._rows
        matches = torch.arange(self.num_envs, device=self.device)[:, None, None]
        image = now.planes[matches, self._planes[rows][:, :, None], self._points[rows][:, None, :]]
        return image, {"action_mask": now.mask.gather(1, self._actions[rows]), "player": now.player}
