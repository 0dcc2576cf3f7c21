"""Statistics of a table: how many positions are won, drawn and lost, and the longest distance to the end."""

from typing import Any

import numpy as np

from . import index_layout as x
from .index import Slice

_CHUNK = 1 << 24


def count_codes(values: np.ndarray, part: Slice) -> np.ndarray:
    """int64 `[65536]`, how many positions of a slice have each code, from the lowest code on."""
    counts = np.zeros(1 << 16, np.int64)
    for begin in range(part.base, part.base + part.size, _CHUNK):
        end = min(begin + _CHUNK, part.base + part.size)
        counts += np.bincount(values[begin:end].astype(np.int32) - x.OUTSIDE, minlength=1 << 16)
    return counts


def describe(part: Slice, counts: np.ndarray) -> dict[str, Any]:
    """What a table file says of a slice: its pieces, and how many of its positions have each result."""

    def between(first: int, last: int) -> int:
        return int(counts[first - x.OUTSIDE : last + 1 - x.OUTSIDE].sum())

    won, drawn, lost = between(x.WON, x.ENDLESS), between(x.DRAWN, x.DRAWN), between(-x.ENDLESS, x.LOST)
    codes = np.abs(np.flatnonzero(counts) + x.OUTSIDE)
    finite = codes[(codes >= x.WON) & (codes < x.ENDLESS)]
    return {
        "name": part.name,
        "player": part.player,
        "own": [part.own_men, part.own_kings],
        "enemy": [part.enemy_men, part.enemy_kings],
        "positions": won + drawn + lost,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "endless": between(x.ENDLESS, x.ENDLESS) + between(-x.ENDLESS, -x.ENDLESS),
        "longest": int(finite.max()) - x.WON if len(finite) else 0,
    }
