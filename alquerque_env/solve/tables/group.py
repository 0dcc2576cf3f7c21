"""The retrograde analysis of one group of slices, pass by pass."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import TableError
from ...game import table_layout as e
from . import index_layout as x
from . import retrograde as r
from .index import Index, Slice

LONGEST_TURN = 64
"""Steps of a turn for which there is room, at least."""

# What part of the work on a group its first passes are, for the progress.
CLOSING, BOUNDING = 0.5, 0.2


Each = Callable[[tuple[Slice, ...], str, float, Callable[[int, int, int], Any]], list[Any]]
"""Calls `task(row, begin, end)` for all numbers of some slices, on all processors, and collects the results.

It is also told the stage and what part of the work on the slices it is.
"""


def majority_wins(index: Index) -> bool:
    """Whether endless play is won by the player with more pieces. A rule of repetition ends it before."""
    t = index.game.table.words
    return bool(t[e.T_NO_PROGRESS_LIMIT] and t[e.T_NO_PROGRESS_MAJORITY] and not t[e.T_THREEFOLD])


def is_uneven(group: tuple[Slice, ...]) -> bool:
    """Whether one player has more pieces than the other."""
    return group[0].lead != 0


class GroupAnalysis:
    """The analysis of a group.

    Args:
      index: The index.
      values: int16 `[N]`, the codes of all earlier groups, and room for those of this one.
      group: Its slices.
      each: Shares out the work.

    Attributes:
      values: int16, the codes of the group itself.
      bounds: int16, what the closed moves of open positions bring; CLOSED for the others.
    """

    def __init__(self, index: Index, values: np.ndarray, group: tuple[Slice, ...], each: Each) -> None:
        self.group = group
        self.first = group[0].base
        size = sum(part.size for part in group)
        self.values = values[self.first : self.first + size]
        self.bounds = np.zeros(size, np.int16)
        self._marks = np.zeros(size, np.int8)
        self._each = each
        self._is_won_by_majority = majority_wins(index)
        self._majority = self._is_won_by_majority and is_uneven(group)
        self._bounded = (index.rules, index.words, values, self.bounds, self.first)
        self._marked = (*self._bounded[:-1], self._marks, self.first)

    def close(self) -> None:
        """Gives closed positions their values, and open ones what captures and promotions bring.

        Raises:
          TableError: If there is no room for a turn.
        """
        if max(self._pass("captures", CLOSING, r.close, self._bounded, LONGEST_TURN)) >= 0:
            raise TableError(f"a turn in slice {self.group[0].name} is longer than there is room for")

    def go_back(self) -> None:
        """Finds all wins and losses in a known number of plies."""
        most = max(self._pass("steps", BOUNDING, r.bound, self._bounded))
        ply = 1
        while ply <= most + 1:
            if sum(self._pass(f"ply {ply}", 0.0, r.spread, self._marked, ply, r.PLIES)):
                most = max(most, ply, *self._pass(f"ply {ply}", 0.0, r.settle, self._marked, ply))
            ply += 1

    def play_on(self) -> None:
        """Gives the positions that are left the value of playing on for ever, or what can be forced from there."""
        if self._is_won_by_majority:
            self._decide(r.WITHOUT_END)
        if self._majority:
            self._decide(r.DRAW_BY_FEWER)
        for part in self.group:
            endless = x.DRAWN if not self._majority else x.ENDLESS if part.lead > 0 else -x.ENDLESS
            begin = part.base - self.first
            rest = slice(begin, begin + part.size)
            is_left = (self.values[rest] == x.UNKNOWN) & (self.bounds[rest] != r.CLOSED)
            self.values[rest][is_left] = endless

    def _decide(self, what: int) -> None:
        self._marks[(self.values == x.UNKNOWN) & (self.bounds != r.CLOSED)] = r.ASKED
        while sum(self._pass("endless play", 0.0, r.decide, self._marked, what)):
            self._pass("endless play", 0.0, r.spread, self._marked, 0, r.ROUNDS)

    def _pass(self, stage: str, share: float, kernel: Callable, arguments: tuple, *last: Any) -> list[Any]:
        return self._each(self.group, stage, share, lambda row, begin, end: kernel(*arguments, row, begin, end, *last))
