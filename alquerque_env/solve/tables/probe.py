"""Looks values up in a table. At first it holds those of positions without compulsory captures only.

Arguments are as in `turns.py`.
"""

from ...engine import rules as e
from ...engine.compiler import allocate, borrowed, kernel, release
from .index_layout import *
from .numbering import number_of, set_up
from .turn_values import FOLLOW_CAPTURES, FRAME_SIZE, LOOK_UP, PLACE, ended, must_capture, value_of


@kernel
def probe(t, x, values, states, rows, is_full, codes, wanted):
    """Looks up the codes of many positions.

    Args:
      is_full: Whether `values` hold those of positions with compulsory captures too.
      states: `[N, S]`, the positions; the clock is left out.
      rows: Steps of a turn and the captures after it for which there is room.
      codes: `[N]`, where the codes go; OUTSIDE where the value is not known.
      wanted: `[N]`, where the number of the position that was missing goes, -1 where none was or it has no number.
    """
    p_t, p_x, p_values, p_states = borrowed(t), borrowed(x), borrowed(values), borrowed(states)
    p_codes, p_wanted = borrowed(codes), borrowed(wanted)
    line = allocate(rows, p_t[e.T_STATE_SIZE])
    choices = allocate(rows, p_t[e.T_NUM_ACTIONS])
    frames = allocate(rows, FRAME_SIZE)
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    for index in range(len(states)):
        e.copy_state(p_t, p_states[index], line[0])
        line[0][e.QUIET] = 0
        frames[0][PLACE] = -1
        p_codes[index] = _probe_one(p_t, p_x, p_values, line, choices, frames, scratch[0], rows, is_full)
        p_wanted[index] = frames[0][PLACE]
    release(line)
    release(choices)
    release(frames)
    release(scratch)


@kernel
def _probe_one(t, x, values, states, choices, frames, w, rows, is_full):
    s = states[0]
    if is_full and s[e.CHAIN] < 0:
        place = number_of(t, x, s)
        if place >= 0 and values[place] != UNKNOWN:
            return int(values[place])
    if s[e.CHAIN] < 0:
        n = e.legal_actions(t, s, w, choices[0])
        code = ended(t, s, n)
        if code != UNKNOWN:
            return code
        if not must_capture(t, s, choices[0], n):
            place = number_of(t, x, s)
            frames[0][PLACE] = place
            if place < 0 or values[place] == UNKNOWN:
                return OUTSIDE
            return int(values[place])
    return value_of(t, x, values, states, choices, frames, w, rows, FOLLOW_CAPTURES)


@kernel
def fill_in(t, x, values, row, begin, end, rows):
    """Works out the values of the positions of a slice with compulsory captures, where earlier slices have theirs."""
    p_t, p_x, p_values = borrowed(t), borrowed(x), borrowed(values)
    states = allocate(rows, p_t[e.T_STATE_SIZE])
    choices = allocate(rows, p_t[e.T_NUM_ACTIONS])
    frames = allocate(rows, FRAME_SIZE)
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    for number in range(begin, end):
        if set_up(p_t, p_x, row, number, states[0]):
            n = e.legal_actions(p_t, states[0], scratch[0], choices[0])
            if must_capture(p_t, states[0], choices[0], n):
                code = value_of(p_t, p_x, p_values, states, choices, frames, scratch[0], rows, LOOK_UP)
                p_values[p_x[row + BASE] + number] = code
    release(states)
    release(choices)
    release(frames)
    release(scratch)


@kernel
def encode(t, x, values, row, begin, end, book, codes, previous):
    """Writes the values of a slice as indices into a book of codes, those that follow from captures as the one before.

    Args:
      book: For each code, from the lowest possible on, its index.
      codes: Where the indices go.
      previous: The index before the first.
    """
    p_t, p_x, p_values, p_book, p_codes = borrowed(t), borrowed(x), borrowed(values), borrowed(book), borrowed(codes)
    states = allocate(1, p_t[e.T_STATE_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    for number in range(begin, end):
        code = int(p_values[p_x[row + BASE] + number])
        if code != UNKNOWN and set_up(p_t, p_x, row, number, states[0]):
            n = e.legal_actions(p_t, states[0], scratch[0], actions[0])
            if not must_capture(p_t, states[0], actions[0], n):
                previous = p_book[code - OUTSIDE]
        p_codes[number - begin] = previous
    release(states)
    release(actions)
    release(scratch)


@kernel
def check(t, x, values, row, begin, end, rows):
    """Compares values of a slice with what follows from the positions after each turn.

    Returns:
      The number of the first that is wrong, or -1.
    """
    p_t, p_x, p_values = borrowed(t), borrowed(x), borrowed(values)
    states = allocate(rows, p_t[e.T_STATE_SIZE])
    choices = allocate(rows, p_t[e.T_NUM_ACTIONS])
    frames = allocate(rows, FRAME_SIZE)
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    wrong = -1
    for number in range(begin, end):
        if set_up(p_t, p_x, row, number, states[0]):
            n = e.legal_actions(p_t, states[0], scratch[0], choices[0])
            if must_capture(p_t, states[0], choices[0], n):
                continue
            code = value_of(p_t, p_x, p_values, states, choices, frames, scratch[0], rows, FOLLOW_CAPTURES)
            if code != p_values[p_x[row + BASE] + number]:
                wrong = number
                break
    release(states)
    release(choices)
    release(frames)
    release(scratch)
    return wrong
