"""The statistics of slices: how many positions have each result.

A table has values for positions in which men stand where they would have been promoted. No match leads there, so these
are not counted.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ...engine.compiler import allocate, long_kernel, release
from ...engine.kernel_types import Words
from ...game import state_layout as STATE, table_layout as TABLE
from ...match.position_text import unpromoted_men
from . import index_layout as INDEX
from .index import Index, Slice
from .numbering import set_up
from .table_file import SliceNotes
from .threads import ThreadPool
from .turn_values import Values
from .value_codes import DRAWN, ENDLESS, LOST, OUTSIDE, WON

_COUNTED_AT_ONCE = 1 << 24
_LISTED_AT_ONCE = 1 << 17


def count_codes(values: np.ndarray, part: Slice) -> np.ndarray:
    """int64 `[65536]`, how many positions of a slice have each code, from the lowest code on."""
    counts = np.zeros(1 << 16, np.int64)
    for begin in range(part.base, part.base + part.size, _COUNTED_AT_ONCE):
        end = min(begin + _COUNTED_AT_ONCE, part.base + part.size)
        counts += np.bincount(values[begin:end].astype(np.int32) - OUTSIDE, minlength=1 << 16)
    return counts


def count_unreachable(
    index: Index, codes: np.ndarray, part: Slice, pool: ThreadPool, report: Callable[[int], None] | None = None
) -> np.ndarray:
    """int64 `[65536]`, as `count_codes`, for the positions of a slice that no match leads to.

    Calls `report` with how many numbers of the slice are done.
    """

    def count(begin: int, end: int) -> np.ndarray:
        found = codes[part.base + begin : part.base + end][find_unreachable(index, part, begin, end)]
        return np.bincount(found.astype(np.int32) - OUTSIDE, minlength=1 << 16)

    found = pool.map_ranges(part.size, count, _LISTED_AT_ONCE, report) if _has_unreachable(index, part) else []
    return np.sum([np.zeros(1 << 16, np.int64), *found], axis=0)


def find_unreachable(index: Index, part: Slice, begin: int, end: int) -> np.ndarray:
    """Returns bool `[end - begin]`: whether the position of each of these numbers is one that no match leads to."""
    marks = np.zeros(end - begin, np.int8)
    if _has_unreachable(index, part):
        men = np.zeros((STATE.CHAIN + 1, 2), np.int64)  # all points, of one player and of the other
        men[STATE.MEN, 0] = men[STATE.MEN + 1, 1] = index.words[INDEX.ALL_POINTS]
        men[STATE.CHAIN] = STATE.NO_POINT
        south, north = unpromoted_men(index.game.table.words, men)
        values = Values(index.rules, index.words, np.zeros(1, np.int16))
        _mark_unreachable(values, part.row, begin, end, int(south), int(north), marks)
    return marks.view(np.bool_)


def count_changed(index: Index, group: Sequence[Slice], is_changed: np.ndarray) -> int:
    """How many positions of a group that matches lead to are marked in `is_changed`, bool with a place a number."""
    count = int(np.count_nonzero(is_changed))
    for part in group if count else ():
        place = part.base - group[0].base
        for begin in range(0, part.size, _LISTED_AT_ONCE):
            end = min(begin + _LISTED_AT_ONCE, part.size)
            is_unreachable = find_unreachable(index, part, begin, end)
            count -= int(np.count_nonzero(is_changed[place + begin : place + end] & is_unreachable))
    return count


def _has_unreachable(index: Index, part: Slice) -> bool:
    return index.game.rules.promotion != "none" and part.own_men + part.enemy_men > 0


@long_kernel
def _mark_unreachable(values: Values, row: int, begin: int, end: int, south: int, north: int, marks: Words) -> None:
    """Marks the positions of a slice in which a player has men on these points."""
    state = allocate(1, values.t[TABLE.STATE_SIZE])
    for number in range(begin, end):
        if set_up(values.t, values.x, row, number, state[0]):
            marks[number - begin] = (state[0][STATE.MEN] & south | state[0][STATE.MEN + 1] & north) != 0
    release(state)


def describe_slice(part: Slice, counts: np.ndarray, blocks: tuple[tuple[int, str], ...]) -> SliceNotes:
    """What a table file says of a slice; `counts` says how many positions that matches lead to have each code."""

    def between(first: int, last: int) -> int:
        return int(counts[first - OUTSIDE : last + 1 - OUTSIDE].sum())

    won, drawn, lost = between(WON, ENDLESS), between(DRAWN, DRAWN), between(-ENDLESS, LOST)
    codes = np.abs(np.flatnonzero(counts) + OUTSIDE)
    finite = codes[(codes >= WON) & (codes < ENDLESS)]
    return SliceNotes(
        name=part.name,
        player=part.player,
        own=(part.own_men, part.own_kings),
        enemy=(part.enemy_men, part.enemy_kings),
        positions=won + drawn + lost,
        won=won,
        drawn=drawn,
        lost=lost,
        endless=between(ENDLESS, ENDLESS) + between(-ENDLESS, -ENDLESS),
        longest=int(finite.max()) - WON if len(finite) else 0,
        size=part.size,
        blocks=blocks,
    )
