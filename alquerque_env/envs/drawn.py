"""Matches of games drawn at random as a Gymnasium environment, another game for each match."""

from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np

from ..drawn.games import draw_game
from ..drawn.splits import TRAIN, seeds_of
from ..errors import AlquerqueError
from ..game.array_check import check_at_least
from ..game.game import Game
from ..match.match import Match
from .arguments import action_space, check_options, check_seed, observation_space
from .opponent import Opponents, VersusEnv
from .render_modes import RENDER_FPS, RENDER_MODES

MAX_POINTS, MAX_LINKS = 16, 640
"""The size of the graphs, which all small drawn games share."""

_drawn: Any = lru_cache(maxsize=1024)(draw_game)


class DrawnEnv(gymnasium.Env):
    """One player's side of a match, each match in a game of its own. The opponent plays within `reset` and `step`.

    Observations are graphs of `MAX_POINTS` points and `MAX_LINKS` links, see `GraphForm`; actions, rewards and infos
    are those of `VersusEnv`. `info["seed"]` is the seed of the game.

    Args:
      split: "train", "validation" or "test": the games to draw from. Nothing may be trained on those of "test".
      count: The first so many of them; None for all.
      opponent: As for `VersusEnv`, in each game; a bot's spec or a function.
      seat: As for `VersusEnv`.
      render_mode: As for `VersusEnv`.
      max_cycles: As for `VersusEnv`.

    Raises:
      UnknownNameError: If there is no such split.
      AlquerqueError: If it has fewer games, or another argument is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        split: str = TRAIN,
        count: int | None = None,
        opponent: Opponents = "random",
        seat: int | str = "random",
        render_mode: str | None = None,
        max_cycles: int | None = None,
    ) -> None:
        self._seeds = seeds_of(split, count)
        self.render_mode = render_mode
        self._arguments: dict[str, Any] = {
            "opponent": opponent,
            "seat": seat,
            "render_mode": render_mode,
            "max_cycles": max_cycles,
            "observation": "graph",
            "max_points": MAX_POINTS,
            "max_links": MAX_LINKS,
        }
        self._seed = self._seeds[0]
        self._env = self._make()
        self.observation_space = observation_space(self._env._form)
        self.action_space = action_space(self._env._form)

    @property
    def game(self) -> Game:
        """The game of the match."""
        return self._env.game

    @property
    def match(self) -> Match:
        """A copy of the match so far."""
        return self._env.match

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draws a game and begins a match.

        Args:
          seed: Seeds the draws of games, and of all that `VersusEnv` draws.
          options: `seed`: the seed of the game, in place of a draw; one of the split. Others as for `VersusEnv`.

        Returns:
          `(observation, info)`.

        Raises:
          AlquerqueError: If the seed of the game is none of the split.
          PositionError, AlquerqueError: As `VersusEnv.reset`.
        """
        chosen, seed = dict(check_options(options)), check_seed(seed)
        drawn = chosen.pop("seed", None)
        if drawn is not None and check_at_least(0, "seed", drawn) not in self._seeds:
            raise AlquerqueError(f"seed is {drawn}, expected {self._seeds[0]} to {self._seeds[-1]}: one of the split")
        super().reset(seed=seed)
        self._seed = self._seeds[int(self.np_random.integers(len(self._seeds)))] if drawn is None else drawn
        self._env.close()
        self._env = self._make()
        observation, info = self._env.reset(seed=int(self.np_random.integers(2**31)), options=chosen)
        return observation, info | {"seed": self._seed}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the opponent's turns; see `VersusEnv.step`."""
        observation, reward, terminated, truncated, info = self._env.step(action)
        return observation, reward, terminated, truncated, info | {"seed": self._seed}

    def action_masks(self) -> np.ndarray:
        """Returns int8 `[MAX_LINKS + 1]`, 1 for legal actions."""
        return self._env.action_masks()

    def render(self) -> Any:
        """Returns a picture of the position, as `VersusEnv` does."""
        return self._env.render()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._env.close()

    def _make(self) -> VersusEnv:
        return VersusEnv(_drawn(self._seed), **self._arguments)
