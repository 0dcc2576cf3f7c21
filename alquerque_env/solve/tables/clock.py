"""What the limit of plies without progress changes: tables leave that clock out.

The same analysis, with plies to the next progress in place of plies to the end, tells how long the longest way to a
capture or promotion is that a player can force. A value that takes longer than the limit allows is another one in play:
that of endless play. Positions in which it is, or that can lead to such at best, are counted.
"""

from typing import Any

import numpy as np

from ...game import table_layout as e
from . import index_layout as x
from . import retrograde as r
from .group import Each, GroupAnalysis, is_uneven, majority_wins
from .index import Index, Slice
from .work_folder import LIMITED, Work

# Codes of what is won or lost by the next capture or promotion.
_WON_NEXT, _LOST_NEXT = x.WON + 1, x.LOST - 1


def has_clock(index: Index) -> bool:
    """Whether plies without progress are limited, and what that changes can be studied.

    Not where nothing can come again; nor, since draws have no distance, where a blocked match can be a draw although
    endless play is won by the player with more pieces.
    """
    rules = index.game.rules
    is_mixed = rules.no_moves in ("draw", "majority") and rules.no_progress_result == "majority"
    return rules.no_progress_limit != "off" and not index.is_acyclic and not is_mixed


class ClockStudy:
    """Studies one group after the other.

    Args:
      index: The index.
      work: Where values under the limit are kept, from the first group on in which they differ.
      each: Shares out the work.
    """

    def __init__(self, index: Index, work: Work, each: Each) -> None:
        self.index = index
        self.work = work
        self._each = each
        self._limit = int(index.game.table.words[e.T_NO_PROGRESS_LIMIT])
        self._has_changed = any(notes["changed"] for notes in work.done)
        self._limited = work.open(LIMITED) if self._has_changed else None

    def begin(self, analysis: GroupAnalysis) -> None:
        """Finds the values under the limit of a group whose closed positions are known; leaves it as it was."""
        group = analysis.group
        if self._limited is None:
            values, bounds = analysis.values.copy(), analysis.bounds.copy()
            self._study(analysis)
            analysis.values[:], analysis.bounds[:] = values, bounds
        else:
            limited = GroupAnalysis(self.index, self._limited, group, self._each)
            limited.close()
            self._study(limited)

    def end(self, analysis: GroupAnalysis) -> dict[str, Any]:
        """What is to be noted of a group that is solved: the longest way, and how many values the limit changes."""
        is_position = analysis.values != x.UNKNOWN
        changed = int(np.count_nonzero(is_position & (_signs(analysis.values) != self._found)))
        first, last = analysis.group[0], analysis.group[-1]
        if changed and self._limited is None:
            self._limited = self.work.open(LIMITED)
            self._limited[: first.base] = _next(self.work.values[: first.base])
        if self._limited is not None:
            self._limited[first.base : last.base + last.size] = np.where(is_position, _codes(self._found), x.UNKNOWN)
        return {"longest_way": self._longest, "changed": changed}

    @property
    def changed_arrays(self) -> tuple[np.memmap, ...]:
        """What must be safe before a group is done."""
        return () if self._limited is None else (self._limited,)

    def _study(self, analysis: GroupAnalysis) -> None:
        closed, bounds = _next(analysis.values), _next(analysis.bounds)
        analysis.values[:], analysis.bounds[:] = closed, bounds
        analysis.go_back()
        self._longest = _longest(analysis.values)
        self._found = self._within(analysis.values)
        if not (majority_wins(self.index) and is_uneven(analysis.group)):
            return
        wins = self._found.copy()
        for part, place in _parts(analysis):
            draw = _WON_NEXT if part.lead < 0 else _LOST_NEXT
            analysis.values[place] = np.where(closed[place] == x.DRAWN, draw, closed[place])
            analysis.bounds[place] = np.where(bounds[place] == x.DRAWN, draw, bounds[place])
        analysis.go_back()
        self._longest = max(self._longest, _longest(analysis.values))
        holds = self._within(analysis.values)
        for part, place in _parts(analysis):
            fewer = 1 if part.lead < 0 else -1
            self._found[place] = np.where(wins[place] == fewer, fewer, np.where(holds[place] == fewer, 0, -fewer))

    def _within(self, codes: np.ndarray) -> np.ndarray:
        """int8, who wins within the limit: 1 the player to move, -1 the other, 0 neither."""
        plies = np.abs(codes.astype(np.int32)) - x.WON
        return np.where(plies <= self._limit, _signs(codes), 0).astype(np.int8)


def _parts(analysis: GroupAnalysis) -> list[tuple[Slice, slice]]:
    return [
        (part, slice(part.base - analysis.first, part.base - analysis.first + part.size)) for part in analysis.group
    ]


def _next(codes: np.ndarray) -> np.ndarray:
    """The same winners, but by the next progress; matches that have ended stay so."""
    found = codes.copy()
    found[(codes > x.WON)] = _WON_NEXT
    found[(codes < x.LOST) & (codes != r.CLOSED)] = _LOST_NEXT
    return found


def _signs(codes: np.ndarray) -> np.ndarray:
    """int8, 1 for wins, -1 for losses, 0 for draws and what is unknown."""
    return np.where(codes == x.DRAWN, 0, np.sign(codes)).astype(np.int8)


def _codes(signs: np.ndarray) -> np.ndarray:
    """Codes of wins and losses by the next progress, and of draws."""
    return np.where(signs == 0, x.DRAWN, np.where(signs > 0, _WON_NEXT, _LOST_NEXT)).astype(np.int16)


def _longest(codes: np.ndarray) -> int:
    return int(np.abs(codes.astype(np.int32)).max(initial=x.WON)) - x.WON
