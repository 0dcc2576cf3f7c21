"""The retrograde analysis of one group of slices, pass by pass."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import TableError
from ...game import table_layout as TABLE
from . import retrograde as r
from .index import Index, Slice
from .value_codes import DRAWN, ENDLESS, UNKNOWN

LONGEST_TURN = 64  # the most steps of a turn

CLOSING, BOUNDING = 0.5, 0.2  # the shares of the first passes in the work on a group, for the progress display

Each = Callable[[tuple[Slice, ...], str, float, Callable[[int, int, int], Any]], list[Any]]
"""`each(slices, stage, share, task)` calls `task(row, begin, end)` for all numbers of some slices, in several threads.

`stage` names the work for the progress display, `share` is its share in the work on the slices.
"""


def majority_wins(index: Index) -> bool:
    """Whether the player with more pieces wins endless play. A repetition rule ends it before."""
    t = index.game.table.words
    return bool(t[TABLE.NO_PROGRESS_LIMIT] and t[TABLE.NO_PROGRESS_MAJORITY] and not t[TABLE.THREEFOLD])


def is_uneven(group: tuple[Slice, ...]) -> bool:
    """Whether one player has more pieces than the other."""
    return group[0].lead != 0


class GroupAnalysis:
    """The analysis of a group, from int16 `[N]` codes of all earlier groups with room for those of this one.

    It has int16 `values`, the codes of the group itself, and `bounds` of open positions, CLOSED for the others.
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
        self._data = r.Group(index.rules, index.words, np.asarray(values), self.bounds, self._marks, self.first, 0)

    def close(self) -> None:
        """Finds the values of closed positions, and the bounds of open ones from captures and promotions."""
        if max(self._pass("captures", CLOSING, r.close, LONGEST_TURN)) >= 0:
            raise TableError(f"a turn in slice {self.group[0].name} has more than {LONGEST_TURN} steps")

    def find_finite(self) -> None:
        """Finds all wins and losses in a known number of plies."""
        most = max(self._pass("steps", BOUNDING, r.bound))
        ply = 1
        while ply <= most + 1:
            if sum(self._pass(f"ply {ply}", 0.0, r.propagate, ply, r.PLIES)):
                most = max(most, ply, *self._pass(f"ply {ply}", 0.0, r.find_losses, ply))
            ply += 1

    def stop_at_progress(self, known: np.ndarray) -> None:
        """Makes `find_finite` count plies to the next progress; `known` as in `retrograde.bound_by_progress`."""
        self._data = self._data._replace(to_progress=1)
        self._pass("progress", 0.0, r.bound_by_progress, known)

    def find_endless(self) -> None:
        """Finds the values of the positions that are left: that of endless play, or what can be forced from there."""
        if self._is_won_by_majority:
            self._resolve(r.ENDLESS_RESULTS)
        if self._majority:
            self._resolve(r.FORCED_DRAWS)
        for part in self.group:
            endless = DRAWN if not self._majority else ENDLESS if part.lead > 0 else -ENDLESS
            rest = self.place_of(part)
            is_left = (self.values[rest] == UNKNOWN) & (self.bounds[rest] != r.CLOSED)
            self.values[rest][is_left] = endless

    def place_of(self, part: Slice) -> slice:
        """Where the numbers of a slice are among those of the group."""
        return slice(part.base - self.first, part.base - self.first + part.size)

    def _resolve(self, what: int) -> None:
        self._marks[(self.values == UNKNOWN) & (self.bounds != r.CLOSED)] = r.CANDIDATE
        while sum(self._pass("endless play", 0.0, r.resolve_endless, what)):
            self._pass("endless play", 0.0, r.propagate, 0, r.ROUNDS)

    def _pass(self, stage: str, share: float, kernel: Callable[..., Any], *last: Any) -> list[Any]:
        return self._each(self.group, stage, share, lambda row, begin, end: kernel(self._data, row, begin, end, *last))
