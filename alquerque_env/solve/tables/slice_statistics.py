"""The statistics of slices: how many positions have each result."""

import numpy as np

from . import index_layout as x
from .index import Slice
from .table_file import SliceNotes

_COUNTED_AT_ONCE = 1 << 24


def count_codes(values: np.ndarray, part: Slice) -> np.ndarray:
    """int64 `[65536]`, how many positions of a slice have each code, from the lowest code on."""
    counts = np.zeros(1 << 16, np.int64)
    for begin in range(part.base, part.base + part.size, _COUNTED_AT_ONCE):
        end = min(begin + _COUNTED_AT_ONCE, part.base + part.size)
        counts += np.bincount(values[begin:end].astype(np.int32) - x.OUTSIDE, minlength=1 << 16)
    return counts


def describe_slice(part: Slice, counts: np.ndarray, blocks: tuple[tuple[int, str], ...]) -> SliceNotes:
    """What a table file says of a slice; `counts` says how many of its positions have each code."""

    def between(first: int, last: int) -> int:
        return int(counts[first - x.OUTSIDE : last + 1 - x.OUTSIDE].sum())

    won, drawn, lost = between(x.WON, x.ENDLESS), between(x.DRAWN, x.DRAWN), between(-x.ENDLESS, x.LOST)
    codes = np.abs(np.flatnonzero(counts) + x.OUTSIDE)
    finite = codes[(codes >= x.WON) & (codes < x.ENDLESS)]
    return SliceNotes(
        name=part.name,
        player=part.player,
        own=(part.own_men, part.own_kings),
        enemy=(part.enemy_men, part.enemy_kings),
        positions=won + drawn + lost,
        won=won,
        drawn=drawn,
        lost=lost,
        endless=between(x.ENDLESS, x.ENDLESS) + between(-x.ENDLESS, -x.ENDLESS),
        longest=int(finite.max()) - x.WON if len(finite) else 0,
        size=part.size,
        blocks=blocks,
    )
