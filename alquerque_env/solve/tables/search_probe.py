"""Endgame tables for bots that search."""

from typing import Any

import numpy as np

from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.kernel_arrays import words
from ...game.step import Step
from ...match.match import Match
from ..exact_steps import exact_steps
from . import EndgameTable, index_layout as INDEX
from .search_probe_kernels import exact_value_of
from .value_codes import DRAWN, ENDLESS, UNKNOWN

MOST_POSITIONS = 1 << 25
"""How many values are read for a search, fewer pieces first."""


class Endgames:
    """The exact values that a bot uses.

    Args:
      table: The table of its game, or None if there is none.
      most: How many positions to read, fewer pieces first; None for all.

    Attributes:
      index, codes: The table as kernels take it.
    """

    def __init__(self, table: EndgameTable | None, most: int | None = MOST_POSITIONS) -> None:
        self._table = table
        self.index = np.zeros(INDEX.HEAD, np.int64) if table is None else table.index.words
        self.codes = np.zeros(1, np.int16) if table is None else table.codes
        if table is not None:
            table.load(most)
            if not table.holds_under_limit:
                is_sure = (self.codes != DRAWN) & (np.abs(self.codes.astype(np.int32)) != ENDLESS)
                self.codes = np.where(is_sure, self.codes, np.int16(UNKNOWN))

    def value(self, game: Game, state: Any) -> int | None:
        """1, 0 or -1 for the player to move in a state that is not over; None if it is not known."""
        t = game.table.words
        scratch, actions = words(t, t[TABLE.SCRATCH_SIZE]), words(t, t[TABLE.NUM_ACTIONS])
        code = exact_value_of(t, self.index, self.codes, state, scratch, actions)
        if code == UNKNOWN:
            return None
        return 0 if code == DRAWN else 1 if code > 0 else -1

    def best(self, match: Match) -> list[Step]:
        """The quickest winning or slowest losing steps; none if they are not known."""
        best = () if self._table is None else exact_steps(match, self._table, None).best
        return [found.step for found in best if found.distance is not None]

    def keeping(self, match: Match) -> frozenset[int]:
        """The actions that may keep the value of the position, by what the table knows of it and of the steps."""
        steps = match.legal_steps
        if self._table is not None:
            steps = tuple(found.step for found in exact_steps(match, self._table, None).keeping)
        return frozenset(step.action for step in steps)
