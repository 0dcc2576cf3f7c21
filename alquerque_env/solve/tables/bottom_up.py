"""Solves slices of games in which no position can recur: every position is searched once, down to known values."""

from ...engine.compiler import kernel
from .index_layout import *
from .numbering import set_up
from .turn_values import WORK_OUT, Values, allocate_line, borrowed_values, release_line, value_of


@kernel
def solve_numbers(values: Values, row: int, begin: int, end: int, length: int) -> int:
    """Solves the positions of a slice with the numbers from `begin` to `end`; the slice's row begins at `row`.

    `length` is the most steps from a position to the end of a match, and two more.

    Returns:
      The number of a position whose line is longer than that, or -1.
    """
    v = borrowed_values(values)
    line = allocate_line(v.t, length, WORK_OUT)
    base = v.x[row + BASE]
    failed = -1
    for number in range(begin, end):
        if v.codes[base + number] == UNKNOWN and set_up(v.t, v.x, row, number, line.states[0]):
            code = value_of(v, line)
            if code == OUTSIDE:
                failed = number
                break
            v.codes[base + number] = code
    release_line(line)
    return failed
