"""What a player sees of a position."""

from typing import Any

import numpy as np

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import words
from ..game.planes import planes
from . import rules_scalar as rules
from .compiler import borrowed, entry_kernel
from .kernel_types import Array, Table, Words


class PlayerView:
    """Observes positions of a game from either side."""

    def __init__(self, game: Game) -> None:
        names = [plane.name for plane in planes(game)]
        self.shape = len(names), len(game.board.points)
        self._table = game.table.words
        self._earlier = names.index("earlier") if "earlier" in names else None
        self._opening = names.index("opening") if "opening" in names else None

    def observe(self, state: Any, player: int, earlier: int) -> np.ndarray:
        """int8 `[C, P]`, a position that occurred `earlier` times before in its match, as `player` sees it."""
        seen = words(self._table, self._table[TABLE.STATE_SIZE])
        seen[:] = state
        seen[STATE.PLAYER] = player
        observation = np.empty(self.shape, np.int8)
        observe_one(self._table, seen, earlier, observation)
        if self._opening is not None and player != state[STATE.PLAYER]:  # with another mover it was not the start
            observation[self._opening] = self._is_start(state)
        return observation

    def _is_start(self, state: Any) -> bool:
        """As `rules.states.is_start`."""
        t = self._table
        start = t[t[TABLE.START] : t[TABLE.START] + t[TABLE.STATE_SIZE]]
        places = (place for place in range(len(start)) if place != STATE.QUIET or t[TABLE.NO_PROGRESS_LIMIT])
        return all(state[place] == start[place] for place in places)

    def convert(self, observation: np.ndarray, state: np.ndarray, player: int) -> np.ndarray:
        """int8 `[C, P]`, what `player` sees of a state that the player to move observes as `observation`."""
        return self.observe(state, player, 0 if self._earlier is None else int(observation[self._earlier, 0]))


@entry_kernel
def observe_one(t: Table, s: Words, earlier: int, observation: Array) -> None:
    """Writes the observation of a position."""
    rules.observe(borrowed(t), borrowed(s), earlier, borrowed(observation.reshape(-1)), 0)
