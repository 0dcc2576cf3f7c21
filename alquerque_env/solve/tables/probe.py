"""Looks values up in a table. A file holds the values of positions without compulsory captures only."""

from ...engine import rules as e
from ...engine.compiler import borrowed, kernel
from ...engine.kernel_types import Rows, Table, Words
from .index_layout import *
from .numbering import number_of, set_up
from .turn_values import (
    FOLLOW_CAPTURES,
    LOOK_UP,
    NUMBER,
    Line,
    allocate_line,
    final_value,
    must_capture,
    release_line,
    value_of,
)


@kernel
def probe(
    table: Table,
    index: Table,
    codes: Words,
    states: Rows,
    length: int,
    is_complete: bool,
    found: Words,
    missing: Words,
) -> None:
    """Looks up the codes of many positions.

    Args:
      table: The step table.
      index: The index.
      codes: The codes of all positions.
      states: `[N, S]`, the positions; plies without progress are left out.
      length: The most steps of a turn and of the captures after it.
      is_complete: Whether `codes` has the values of positions with compulsory captures too.
      found: `[N]`, where the codes go; OUTSIDE if the value is not known.
      missing: `[N]`, where the number of the position whose value is missing goes; -1 if there is none.
    """
    t, x, values, p_found, p_missing = borrowed(table), borrowed(index), borrowed(codes), borrowed(found), borrowed(missing)
    p_states = borrowed(states)
    line = allocate_line(t, length)
    for place in range(len(states)):
        e.copy_state(t, p_states[place], line.states[0])
        line.states[0][e.QUIET] = 0
        line.frames[0][NUMBER] = -1
        p_found[place] = _probe_one(t, x, values, line, is_complete)
        p_missing[place] = line.frames[0][NUMBER]
    release_line(line)


@kernel
def _probe_one(t: Table, x: Table, values: Words, line: Line, is_complete: bool) -> int:
    s, choices = line.states[0], line.choices[0]
    if is_complete and s[e.CHAIN] < 0:
        number = number_of(t, x, s)
        if number >= 0 and values[number] != UNKNOWN:
            return int(values[number])
    if s[e.CHAIN] < 0:
        n = e.legal_actions(t, s, line.scratch[0], choices)
        code = final_value(t, s, n)
        if code != UNKNOWN:
            return code
        if not must_capture(t, s, choices, n):
            number = number_of(t, x, s)
            line.frames[0][NUMBER] = number
            if number < 0 or values[number] == UNKNOWN:
                return OUTSIDE
            return int(values[number])
    return value_of(t, x, values, line, FOLLOW_CAPTURES)


@kernel
def fill_in(table: Table, index: Table, codes: Words, row: int, begin: int, end: int, length: int) -> None:
    """Works out the values of a slice's positions with compulsory captures; earlier slices must have theirs."""
    t, x, values = borrowed(table), borrowed(index), borrowed(codes)
    line = allocate_line(t, length)
    for number in range(begin, end):
        if set_up(t, x, row, number, line.states[0]) and _must_capture_now(t, line):
            values[x[row + BASE] + number] = value_of(t, x, values, line, LOOK_UP)
    release_line(line)


@kernel
def encode(
    table: Table,
    index: Table,
    codes: Words,
    row: int,
    begin: int,
    end: int,
    places: Table,
    encoded: Words,
) -> None:
    """Writes the values of a slice as places in a list of codes.

    A value that follows from compulsory captures is written as the one before it, which compresses best.

    Args:
      table: The step table.
      index: The index.
      codes: The codes of all positions.
      row: Where the slice's row begins in the index.
      begin: The first number.
      end: One more than the last number.
      places: For each code, from the lowest possible on, its place.
      encoded: Where the places go.
    """
    t, x, values, p_places, p_encoded = borrowed(table), borrowed(index), borrowed(codes), borrowed(places), borrowed(encoded)
    line = allocate_line(t, 1)
    previous = 0
    for number in range(begin, end):
        code = int(values[x[row + BASE] + number])
        if code != UNKNOWN and set_up(t, x, row, number, line.states[0]) and not _must_capture_now(t, line):
            previous = p_places[code - OUTSIDE]
        p_encoded[number - begin] = previous
    release_line(line)


@kernel
def find_wrong_value(table: Table, index: Table, codes: Words, row: int, begin: int, end: int, length: int) -> int:
    """Compares values of a slice with those that follow from the positions after each turn.

    Returns:
      The number of the first value that is wrong, or -1.
    """
    t, x, values = borrowed(table), borrowed(index), borrowed(codes)
    line = allocate_line(t, length)
    wrong = -1
    for number in range(begin, end):
        if set_up(t, x, row, number, line.states[0]) and not _must_capture_now(t, line):
            code = value_of(t, x, values, line, FOLLOW_CAPTURES)
            if code != values[x[row + BASE] + number]:
                wrong = number
                break
    release_line(line)
    return wrong


@kernel
def _must_capture_now(t: Table, line: Line) -> bool:
    """Whether the player to move in row 0 must capture."""
    n = e.legal_actions(t, line.states[0], line.scratch[0], line.choices[0])
    return must_capture(t, line.states[0], line.choices[0], n)
