"""Which values of a table hold in a match whose plies without progress are counted.

A table leaves this count, the clock, out. The limit of plies cannot change a value

* if the match ends before it: a win in `d` plies needs `d` plies more;
* if the player who needs progress can force it before the limit. The study of the clock, see `clock.py`, notes how many
  plies that takes at most in each group of slices, and whether the limit changes a value there or in earlier groups;
* if the match is worth the same at the limit: a draw where the limit draws; where the side with more pieces wins there,
  a draw of equal sides or a win of that side.

Where a repeated position draws the match, a win is certain only if no position can have occurred before: right after
progress. Nothing but such wins is certain if the side with more pieces wins at the limit as well.
"""

from collections.abc import Sequence

import numpy as np

from ...game import table_layout as TABLE
from . import index_layout as INDEX
from .index import Index, has_notes
from .value_codes import DRAWN, ENDLESS, OUTSIDE, WON

_NEVER = 1 << 30


class UnderLimit:
    """Says which values hold under the limit, by notes of `clock.ClockStudy` on each group; `ValueError` for others.

    If it `holds_at_zero`, the limit changes no value of a position right after progress.
    """

    def __init__(self, index: Index, notes: Sequence[dict[str, int]]) -> None:
        rules = index.game.rules
        self._limit = int(index.game.table.words[TABLE.NO_PROGRESS_LIMIT])
        self._has_majority = rules.has_majority_at_limit
        self._is_repetition_drawn = rules.repetition != "off"
        ways = []
        is_same = True
        for group, found in zip(index.groups, notes, strict=True):
            if not has_notes(index, found):
                raise ValueError(found)
            is_same = is_same and found.get("changed") == 0
            ways += [found["longest_way"] if is_same else _NEVER] * len(group)
        self.holds_at_zero = not self._has_majority or (is_same and not self._is_repetition_drawn)
        self._leads = np.array([part.lead for part in index.slices])
        self._ways = np.array([*ways, 0 if is_same else _NEVER])  # the last one for turns that capture

    def holds(self, codes: np.ndarray, clocks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Whether values hold, bool `[N]`; False for positions that are not in the table.

        Args:
            codes: int16 `[N]`, codes of the table.
            clocks: int64 `[N]`, plies without progress so far.
            rows: int64 `[N]`, rows of slices and CAPTURES, as `probe` writes them.
        """
        captures = rows < INDEX.HEAD
        places = np.where(captures, len(self._ways) - 1, (rows - INDEX.HEAD) // INDEX.ROW_SIZE)
        plies = np.abs(codes.astype(np.int64)) - WON
        is_decided = (codes != DRAWN) & (plies < ENDLESS - WON)
        clocks = np.where(captures, 0, clocks)
        holds = clocks + np.minimum(self._ways[places], np.where(is_decided, plies - captures, _NEVER)) <= self._limit
        if not self._limit:
            holds = np.ones(len(codes), bool)
        if self._is_repetition_drawn:
            holds &= is_decided & (clocks == 0)
        if not self._has_majority:
            holds |= codes == DRAWN
        elif not self._is_repetition_drawn:
            leads = np.append(self._leads, 0)[places]
            signs = np.where(codes == DRAWN, 0, np.sign(codes))
            holds |= ~captures & (np.sign(leads) == signs) & (self._ways[places] < _NEVER)
        return np.asarray(holds & (codes != OUTSIDE))
