"""Looks values up in a table.

A table file holds the values of positions without compulsory captures only.

`row` is where a slice's row begins in the index; its numbers from `begin` to `end` are worked on. `length` is the most
steps of a turn and of the captures after it.
"""

from ...engine import rules_scalar as rules
from ...engine.compiler import entry_kernel, kernel, long_kernel
from ...engine.kernel_types import Rows, Table, Words
from ...game import state_layout as STATE
from . import index_layout as INDEX
from .numbering import number_of, set_up, slice_at
from .turn_values import (
    COUNT,
    FOLLOW_CAPTURES,
    NUMBER,
    Line,
    Values,
    allocate_line,
    final_value,
    must_capture,
    release_line,
    value_of,
)
from .value_codes import OUTSIDE, UNKNOWN

LONGEST_LINE = 256  # the most steps of a turn and of the captures that follow it

CAPTURES = -2
"""In place of the row of a slice: this turn captures, so the count of plies without progress starts again."""


@entry_kernel
def probe(
    values: Values, states: Rows, count: int, length: int, is_complete: bool, codes: Words, missing: Words, rows: Words
) -> None:
    """Looks up the codes of many positions.

    Args:
      values: The table.
      states: `[N, S]`, the positions; plies without progress are left out.
      count: Their number, `N`.
      length: As above.
      is_complete: Whether the table has the values of positions with compulsory captures too.
      codes: `[N]`, where the codes go; OUTSIDE if the value is not known.
      missing: `[N]`, where the number of the position whose value is missing goes; -1 if there is none.
      rows: `[N]`, where the place of the row of the slice goes; CAPTURES if this turn captures.
    """
    line = allocate_line(values.t, length, FOLLOW_CAPTURES)
    for place in range(count):
        rules.copy_state(values.t, states[place], line.states[0])
        line.states[0][STATE.QUIET] = 0
        line.frames[0][NUMBER] = -1
        line.frames[0][COUNT] = 0
        rows[place] = slice_at(values.x, line.states[0])
        codes[place] = _probe_one(values, line, is_complete and states[place][STATE.QUIET] == 0)
        if line.states[0][STATE.CHAIN] >= 0 or line.frames[0][COUNT] > 0:
            rows[place] = CAPTURES
        missing[place] = line.frames[0][NUMBER]
    release_line(line)


@kernel
def _probe_one(v: Values, line: Line, is_complete: bool) -> int:
    """The code of the position in row 0. The first frame's COUNT is above 0 if its player must capture."""
    s, choices = line.states[0], line.choices[0]
    if s[STATE.CHAIN] < 0:
        number = number_of(v.t, v.x, s)
        if is_complete and number >= 0 and v.codes[number] != UNKNOWN:
            return int(v.codes[number])
        n = rules.legal_actions(v.t, s, line.scratch[0], choices)
        code = final_value(v.t, s, n)
        if code != UNKNOWN:
            return code
        if not must_capture(v.t, s, choices, n):
            line.frames[0][NUMBER] = number
            return OUTSIDE if number < 0 or v.codes[number] == UNKNOWN else int(v.codes[number])
    return value_of(v, line)


@long_kernel
def fill_in(values: Values, row: int, begin: int, end: int, length: int) -> None:
    """Works out the values of a slice's positions with compulsory captures; earlier slices must have theirs."""
    line = allocate_line(values.t, length)
    for number in range(begin, end):
        if set_up(values.t, values.x, row, number, line.states[0]) and _must_capture_now(values.t, line):
            values.codes[values.x[row + INDEX.BASE] + number] = value_of(values, line)
    release_line(line)


@long_kernel
def encode(values: Values, row: int, begin: int, end: int, places: Table, encoded: Words) -> None:
    """Writes the values of a slice to `encoded` as places in a list of codes.

    `places` has the place of each code, from the lowest possible on. A value that follows from compulsory captures is
    written as the one before it, which compresses best.
    """
    line = allocate_line(values.t, 1)
    previous = 0
    for number in range(begin, end):
        code = int(values.codes[values.x[row + INDEX.BASE] + number])
        if (
            code != UNKNOWN
            and set_up(values.t, values.x, row, number, line.states[0])
            and not _must_capture_now(values.t, line)
        ):
            previous = places[code - OUTSIDE]
        encoded[number - begin] = previous
    release_line(line)


@kernel
def _must_capture_now(t: Table, line: Line) -> bool:
    """Whether the player to move in row 0 must capture."""
    n = rules.legal_actions(t, line.states[0], line.scratch[0], line.choices[0])
    return must_capture(t, line.states[0], line.choices[0], n)
