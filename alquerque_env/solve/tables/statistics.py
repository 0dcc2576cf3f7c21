"""What there is in a table: how many positions are won, drawn and lost, and how long the longest take."""

from typing import Any, NamedTuple

import numpy as np

from . import index_layout as x
from .index import Slice

_AT_ONCE = 1 << 24


class SliceCount(NamedTuple):
    """How many positions of a slice have each code.

    Attributes:
      codes: int64 `[65536]`, from the lowest code on.
    """

    codes: np.ndarray

    def between(self, first: int, last: int) -> int:
        """How many positions have codes from `first` to `last`."""
        return int(self.codes[first - x.OUTSIDE : last + 1 - x.OUTSIDE].sum())

    @property
    def longest(self) -> int:
        """The most plies to the end of a match; 0 where none has a known end."""
        found = np.flatnonzero(self.codes) + x.OUTSIDE
        ends = found[(found != x.UNKNOWN) & (found != x.DRAWN) & (np.abs(found) != x.ENDLESS)]
        return int(np.abs(ends).max()) - x.WON if len(ends) else 0


def count_codes(values: np.ndarray, part: Slice) -> SliceCount:
    """Counts the codes of a slice."""
    codes = np.zeros(1 << 16, np.int64)
    for begin in range(part.base, part.base + part.size, _AT_ONCE):
        end = min(begin + _AT_ONCE, part.base + part.size)
        codes += np.bincount(values[begin:end].astype(np.int32) - x.OUTSIDE, minlength=1 << 16)
    return SliceCount(codes)


def describe(part: Slice, count: SliceCount) -> dict[str, Any]:
    """What a table file says of a slice: its pieces and how many positions are what."""
    won = count.between(x.WON, x.ENDLESS)
    lost = count.between(-x.ENDLESS, x.LOST)
    drawn = count.between(x.DRAWN, x.DRAWN)
    return {
        "name": part.name,
        "player": part.player,
        "own": [part.own_men, part.own_kings],
        "enemy": [part.enemy_men, part.enemy_kings],
        "positions": won + drawn + lost,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "endless": count.between(x.ENDLESS, x.ENDLESS) + count.between(-x.ENDLESS, -x.ENDLESS),
        "longest": count.longest,
    }
