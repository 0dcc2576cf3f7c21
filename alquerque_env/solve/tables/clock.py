"""What the limit of plies without progress changes, which tables leave out.

The same retrograde analysis, with plies to the next capture or promotion in place of plies to the end, finds how many
plies the longest way to the next progress takes that a player can force. A win that takes more plies than the limit
allows becomes what endless play is worth. Positions that change by it, or can at best lead to such positions, are
counted.
"""

from typing import Any

import numpy as np

from ...game import table_layout as e
from ...game.kernel_arrays import step_words
from . import index_layout as x
from . import retrograde as r
from .group import Each, GroupAnalysis, is_uneven, majority_wins
from .index import Index
from .slice_statistics import count_changed
from .work_folder import LIMITED, Work

# Codes of wins and losses by the next capture or promotion.
_WON_NEXT, _LOST_NEXT = x.WON + 1, x.LOST - 1


class ClockStudy:
    """Studies one group after the other.

    Values under the limit are kept in `work` from the first group on in which they differ.
    """

    def __init__(self, index: Index, work: Work, each: Each) -> None:
        self.index = index
        self.work = work
        self._each = each
        self._limit = int(step_words(index.game.table)[e.T_NO_PROGRESS_LIMIT])
        self._limited = work.open(LIMITED) if any(notes["changed"] for notes in work.done) else None

    def begin(self, analysis: GroupAnalysis) -> None:
        """Finds the values under the limit of a group in which closed positions are solved; does not change it."""
        if self._limited is None:
            values, bounds = analysis.values.copy(), analysis.bounds.copy()
            self._study(analysis)
            analysis.values[:], analysis.bounds[:] = values, bounds
        else:
            limited = GroupAnalysis(self.index, self._limited, analysis.group, self._each)
            limited.close()
            self._study(limited)

    def end(self, analysis: GroupAnalysis) -> dict[str, Any]:
        """The notes on a solved group: the plies of the longest way, and how many values the limit changes.

        The longest way is the most plies to the next progress that a player needs who would fare worse at the limit.
        """
        is_position = analysis.values != x.UNKNOWN
        first, last = analysis.group[0], analysis.group[-1]
        changed = count_changed(self.index, analysis.group, is_position & (_signs(analysis.values) != self._found))
        if changed and self._limited is None:
            self._limited = self.work.open(LIMITED)
            self._limited[: first.base] = _next(self.work.values[: first.base])
        if self._limited is not None:
            self._limited[first.base : last.base + last.size] = np.where(is_position, _codes(self._found), x.UNKNOWN)
        return {"longest_way": self._longest, "changed": changed}

    def _study(self, analysis: GroupAnalysis) -> None:
        closed, bounds = _next(analysis.values), _next(analysis.bounds)
        analysis.values[:], analysis.bounds[:] = closed, bounds
        analysis.find_finite()
        is_won_at_limit = majority_wins(self.index) and is_uneven(analysis.group)
        self._longest = _longest_way(analysis, is_won_at_limit)
        self._found = self._within(analysis.values)
        if not is_won_at_limit:
            return
        # Can the player with fewer pieces, who loses at the limit, reach a draw before it? Draws count as their wins.
        wins = self._found.copy()
        for part in analysis.group:
            place = analysis.place_of(part)
            draw = _WON_NEXT if part.lead < 0 else _LOST_NEXT
            analysis.values[place] = np.where(closed[place] == x.DRAWN, draw, closed[place])
            analysis.bounds[place] = np.where(bounds[place] == x.DRAWN, draw, bounds[place])
        analysis.find_finite()
        self._longest = max(self._longest, _longest_way(analysis, is_won_at_limit))
        holds = self._within(analysis.values)
        for part in analysis.group:
            place = analysis.place_of(part)
            fewer = 1 if part.lead < 0 else -1
            self._found[place] = np.where(wins[place] == fewer, fewer, np.where(holds[place] == fewer, 0, -fewer))

    def _within(self, codes: np.ndarray) -> np.ndarray:
        """int8, who wins within the limit: 1 the player to move, -1 the opponent, 0 nobody."""
        plies = np.abs(codes.astype(np.int32)) - x.WON
        return np.where(plies <= self._limit, _signs(codes), 0).astype(np.int8)


def _next(codes: np.ndarray) -> np.ndarray:
    """The same winners, but at the next progress; matches that are over stay the same."""
    found = codes.copy()
    found[(codes > x.WON)] = _WON_NEXT
    found[(codes < x.LOST) & (codes != r.CLOSED)] = _LOST_NEXT
    return found


def _signs(codes: np.ndarray) -> np.ndarray:
    """int8, 1 for wins, -1 for losses, 0 for draws and unknown values."""
    return np.where(codes == x.DRAWN, 0, np.sign(codes)).astype(np.int8)


def _codes(signs: np.ndarray) -> np.ndarray:
    """The codes of wins and losses by the next progress, and of draws."""
    return np.where(signs == 0, x.DRAWN, np.where(signs > 0, _WON_NEXT, _LOST_NEXT)).astype(np.int16)


def _longest_way(analysis: GroupAnalysis, is_won_at_limit: bool) -> int:
    """The most plies to the next progress that a player needs who would fare worse at the limit."""
    longest = 0
    for part in analysis.group:
        codes = analysis.values[analysis.place_of(part)].astype(np.int32)
        if is_won_at_limit:
            codes = codes[_signs(codes) == (1 if part.lead < 0 else -1)]
        longest = max(longest, int(np.abs(codes).max(initial=x.WON)) - x.WON)
    return longest
