"""Solves slices of games in which no position can recur: every position is searched once, down to known values."""

from ...engine.compiler import borrowed, kernel
from ...engine.kernel_types import Table, Words
from .index_layout import *
from .numbering import set_up
from .turn_values import WORK_OUT, allocate_line, release_line, value_of


@kernel
def solve_numbers(table: Table, index: Table, codes: Words, row: int, begin: int, end: int, length: int) -> int:
    """Solves the positions of a slice with the numbers from `begin` to `end`.

    Args:
      table: The step table.
      index: The index.
      codes: The codes of all positions; those that are found are written.
      row: Where the slice's row begins in the index.
      begin: The first number.
      end: One more than the last number.
      length: 2 + the most steps from a position to the end of a match.

    Returns:
      The number of a position whose line is longer than that, or -1.
    """
    t, x, values = borrowed(table), borrowed(index), borrowed(codes)
    line = allocate_line(t, length)
    base = x[row + BASE]
    failed = -1
    for number in range(begin, end):
        if values[base + number] == UNKNOWN and set_up(t, x, row, number, line.states[0]):
            code = value_of(t, x, values, line, WORK_OUT)
            if code == OUTSIDE:
                failed = number
                break
            values[base + number] = code
    release_line(line)
    return failed
