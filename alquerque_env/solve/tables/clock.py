"""What the limit of plies without progress changes, which tables leave out.

The same retrograde analysis, with plies to the next progress in place of plies to the end, finds how many plies the
longest way to the next progress takes that a player can force. A win that takes more plies than the limit allows
becomes what endless play is worth. Positions that change by it, or can at best lead to such positions, are counted.

What counts as progress is the rule of the game. Captures and promotions lead to earlier groups. A man's step, where it
counts, stays within the group, so that the values after it are not known before: the study begins with those without
the clock and repeats until they are the same before and after.
"""

from typing import Any

import numpy as np

from ...game import table_layout as TABLE
from . import retrograde as r
from .index import Index, majority_wins
from .retrograde import Each, GroupAnalysis, is_uneven
from .slice_statistics import count_changed
from .value_codes import DRAWN, LOST, UNKNOWN, WON
from .work_folder import LIMITED, Work

# Codes of wins and losses by the next progress.
_WON_NEXT, _LOST_NEXT = WON + 1, LOST - 1


class ClockStudy:
    """Studies one group after the other.

    Values under the limit are kept in `work` from the first group on in which they differ.
    """

    def __init__(self, index: Index, work: Work, each: Each) -> None:
        self.index = index
        self.work = work
        self._each = each
        t = index.game.table.words
        self._limit = int(t[TABLE.NO_PROGRESS_LIMIT])
        self._is_within_group = bool(t[TABLE.MAN_STEP_IS_PROGRESS])
        self._limited = work.open(LIMITED) if any(notes["changed"] for notes in work.done) else None

    def begin(self, analysis: GroupAnalysis) -> None:
        """Notes what a group begins with, in which only closed positions are solved."""
        self._studied = analysis
        if self._limited is not None:
            self._studied = GroupAnalysis(self.index, self._limited, analysis.group, self._each)
            self._studied.close()
        self._closed, self._bounds = _next(self._studied.values), _next(self._studied.bounds)

    def end(self, analysis: GroupAnalysis) -> dict[str, Any]:
        """The notes on a solved group: the plies of the longest way, and how many values the limit changes.

        The longest way is the most plies to the next progress that a player needs who would fare worse at the limit.
        """
        is_position = analysis.values != UNKNOWN
        signs, solved = _signs(analysis.values), analysis.values.copy()
        before = signs
        longest, found = self._study(before)
        while self._is_within_group and (found != before).any():
            before = found
            longest, found = self._study(before)
        analysis.values[:] = solved
        first, last = analysis.group[0], analysis.group[-1]
        changed = count_changed(self.index, analysis.group, is_position & (signs != found))
        if changed and self._limited is None:
            self._limited = self.work.open(LIMITED)
            self._limited[: first.base] = _next(self.work.values[: first.base])
        if self._limited is not None:
            self._limited[first.base : last.base + last.size] = np.where(is_position, _codes(found), UNKNOWN)
        return {"longest_way": longest, "changed": changed}

    def _study(self, signs: np.ndarray) -> tuple[int, np.ndarray]:
        """The longest way, and int8, who wins right after progress, from who wins after progress within the group."""
        analysis = self._studied
        is_won_at_limit = majority_wins(self.index) and is_uneven(analysis.group)
        self._find_ways(signs)
        longest, found = _longest_way(analysis, is_won_at_limit), self._within(analysis.values)
        if not is_won_at_limit:
            return longest, found
        # Can the player with fewer pieces, who loses at the limit, reach a draw before it? Draws count as their wins.
        wins = found.copy()
        self._find_ways(signs, are_draws_won=True)
        longest = max(longest, _longest_way(analysis, is_won_at_limit))
        holds = self._within(analysis.values)
        for part in analysis.group:
            place = analysis.place_of(part)
            fewer = 1 if part.lead < 0 else -1
            found[place] = np.where(wins[place] == fewer, fewer, np.where(holds[place] == fewer, 0, -fewer))
        return longest, found

    def _find_ways(self, signs: np.ndarray, are_draws_won: bool = False) -> None:
        """Finds who can force progress that wins, and in how many plies.

        int8 `signs` say who wins right after progress within the group. With `are_draws_won` the player with fewer
        pieces wins draws.
        """
        analysis = self._studied
        analysis.values[:], analysis.bounds[:] = self._closed, self._bounds
        if self._is_within_group:
            analysis.stop_at_progress(np.where(signs == 0, DRAWN, signs * WON).astype(np.int16))
        if are_draws_won:
            for part in analysis.group:
                place = analysis.place_of(part)
                draw = _WON_NEXT if part.lead < 0 else _LOST_NEXT
                for codes in (analysis.values[place], analysis.bounds[place]):
                    codes[codes == DRAWN] = draw
        analysis.find_finite()

    def _within(self, codes: np.ndarray) -> np.ndarray:
        """int8, who wins within the limit: 1 the player to move, -1 the opponent, 0 nobody."""
        plies = np.abs(codes.astype(np.int32)) - WON
        return np.where(plies <= self._limit, _signs(codes), 0).astype(np.int8)


def _next(codes: np.ndarray) -> np.ndarray:
    """The same winners, but at the next progress; matches that are over stay the same."""
    found = codes.copy()
    found[(codes > WON)] = _WON_NEXT
    found[(codes < LOST) & (codes != r.CLOSED)] = _LOST_NEXT
    return found


def _signs(codes: np.ndarray) -> np.ndarray:
    """int8, 1 for wins, -1 for losses, 0 for draws and unknown values."""
    return np.where(codes == DRAWN, 0, np.sign(codes)).astype(np.int8)


def _codes(signs: np.ndarray) -> np.ndarray:
    """The codes of wins and losses by the next progress, and of draws."""
    return np.where(signs == 0, DRAWN, np.where(signs > 0, _WON_NEXT, _LOST_NEXT)).astype(np.int16)


def _longest_way(analysis: GroupAnalysis, is_won_at_limit: bool) -> int:
    """The most plies to the next progress that a player needs who would fare worse at the limit."""
    longest = 0
    for part in analysis.group:
        codes = analysis.values[analysis.place_of(part)].astype(np.int32)
        if is_won_at_limit:
            codes = codes[_signs(codes) == (1 if part.lead < 0 else -1)]
        longest = max(longest, int(np.abs(codes).max(initial=WON)) - WON)
    return longest
