"""What a player sees of a position."""

from typing import Any

import numpy as np

from ..game import table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import words
from . import rules_scalar as rules
from .compiler import entry_kernel
from .kernel_types import Table, Words


class PlayerView:
    """Observes positions of a game from either side."""

    def __init__(self, game: Game) -> None:
        names = [plane.name for plane in game.planes]
        self.shape = len(names), len(game.board.points)
        self._table = game.table.words
        self._earlier = names.index("earlier") if "earlier" in names else None

    def observe(self, state: Any, player: int, earlier: int) -> np.ndarray:
        """int8 `[C, P]`, a position that occurred `earlier` times before in its match, as `player` sees it."""
        seen = words(self._table, self._table[TABLE.STATE_SIZE])
        seen[:] = state
        observation = np.empty(self.shape, np.int8)
        observe_one(self._table, seen, player, earlier, observation.reshape(-1))
        return observation

    def convert(self, observation: np.ndarray, state: np.ndarray, player: int) -> np.ndarray:
        """int8 `[C, P]`, what `player` sees of a state that the player to move observes as `observation`."""
        return self.observe(state, player, 0 if self._earlier is None else int(observation[self._earlier, 0]))


@entry_kernel
def observe_one(t: Table, s: Words, player: int, earlier: int, observation: Words) -> None:
    """Writes the observation of a position by a player."""
    rules.observe_as(t, s, player, earlier, observation, 0)
