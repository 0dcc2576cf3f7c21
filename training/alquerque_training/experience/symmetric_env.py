"""Augmentation for PPO: each match is turned or mirrored as a whole.

The symmetry is drawn when a match begins, not in the update, so that the old and new probabilities that PPO compares
are those of the same observation.
"""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots import Bot
from alquerque_env.game.symmetry import Symmetry
from alquerque_training.experience.numbers_ahead import Place, copied
from alquerque_training.experience.self_play_games import Observation, SelfPlayGames, Values, device_of, play
from alquerque_training.experience.state_arrays import pack_generator, unpack_generator


class SymmetricGames:
    """Wraps `SelfPlayGames` and shows each game under its own random symmetry, the identity included.

    It takes and returns tensors, also where the games take and return arrays. It waits for the device of the games only
    to draw symmetries, which it does for some `steps` ahead.
    """

    def __init__(self, games: SelfPlayGames, symmetries: Sequence[Symmetry], steps: int = 1) -> None:
        self._games = games
        self.num_envs, self.plane_scale = games.num_envs, games.plane_scale
        self.device = device_of(games) or torch.device("cpu")
        # Where each plane, point and action of an image comes from.
        self._planes, self._points, self._actions = (
            torch.tensor(np.array([getattr(symmetry, what) for symmetry in symmetries]).argsort(1), device=self.device)
            for what in ("planes", "points", "actions")
        )
        self._images = np.array([symmetry.actions for symmetry in symmetries])
        self._steps, self._steps_left = steps, 0
        self._generator, self._place = np.random.Generator(np.random.PCG64(0)), Place(self.device)
        self._chosen = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)
        self._ended = torch.ones(self.num_envs, dtype=torch.bool, device=self.device)

    def reset(self, *, seed: int) -> tuple[Tensor, dict[str, Any]]:
        """As `SelfPlayGames.reset`."""
        generator = np.random.Generator(np.random.PCG64(seed))
        chosen = generator.integers(len(self._points), size=self.num_envs)
        self._chosen, self._ended = copied(torch.from_numpy(chosen), self.device), torch.zeros_like(self._ended)
        self._begin_numbers(generator)
        return self._show(*self._games.reset(seed=seed))

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """As `SelfPlayGames.step`."""
        meant = self._actions[self._chosen, actions]
        self._draw()
        now, rewards, terminated, truncated = play(self._games, meant)
        self._ended = terminated | truncated
        image, info = self._show(now.planes, {"action_mask": now.mask, "player": now.player})
        return image, rewards, terminated, truncated, info

    def choose(self, bot: Bot, envs: np.ndarray) -> np.ndarray:
        """As `SelfPlayGames.choose`."""
        return self._images[self._chosen.cpu().numpy()[envs], self._games.choose(bot, envs)]

    def get_state(self) -> dict[str, np.ndarray]:
        """As `SelfPlayGames.get_state`."""
        state = {f"games.{name}": array for name, array in self._games.get_state().items()}
        mirrors = {"chosen": self._chosen, "ended": self._ended}
        state["generator"] = pack_generator(self._generator_now())
        return state | {name: tensor.cpu().numpy().copy() for name, tensor in mirrors.items()}

    def set_state(self, state: dict[str, np.ndarray]) -> tuple[Tensor, dict[str, Any]]:
        """As `SelfPlayGames.set_state`."""
        generator = np.random.Generator(np.random.PCG64(0))
        unpack_generator(generator, state["generator"])
        self._begin_numbers(generator)
        self._chosen, self._ended = (
            torch.from_numpy(np.array(state[name])).to(self.device) for name in ("chosen", "ended")
        )
        games = {name: state[f"games.{name}"] for name in self._games.get_state()}
        return self._show(*self._games.set_state(games))

    def _draw(self) -> None:
        """Takes symmetries for the matches that begin with the next observation."""
        if self._steps_left == 0:
            self._begin_numbers(self._generator_now())
            ahead = copy.deepcopy(self._generator).integers(len(self._points), size=self._steps * self.num_envs)
            self._numbers, self._steps_left = copied(torch.from_numpy(ahead), self.device), self._steps
        self._steps_left -= 1
        self._chosen = torch.where(self._ended, self._numbers[self._place.take(self._ended)], self._chosen)

    def _begin_numbers(self, generator: np.random.Generator) -> None:
        """Continues with the numbers of a generator; they are drawn when the first one is needed."""
        self._generator, self._place, self._steps_left = generator, Place(self.device), 0

    def _generator_now(self) -> np.random.Generator:
        """The generator behind the numbers that have been taken."""
        generator = copy.deepcopy(self._generator)
        generator.integers(len(self._points), size=self._place.count())
        return generator

    def _show(self, planes: Values, info: dict[str, Any]) -> tuple[Tensor, dict[str, Any]]:
        now, rows = Observation.of(planes, info), self._chosen
        matches = torch.arange(self.num_envs, device=self.device)[:, None, None]
        image = now.planes[matches, self._planes[rows][:, :, None], self._points[rows][:, None, :]]
        return image, {"action_mask": now.mask.gather(1, self._actions[rows]), "player": now.player}
