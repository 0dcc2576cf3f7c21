"""Solves slices of games in which no position can come again: what follows a position is worked out before it.

Every position is worked out once, when it is met first; what is known already is not searched again.
"""

from ...engine import rules as e
from ...engine.compiler import allocate, borrowed, kernel, release
from .index_layout import *
from .numbering import set_up
from .turn_values import FRAME_SIZE, WORK_OUT, value_of


@kernel
def work_out(t, x, values, row, begin, end, rows):
    """Works out the values of the positions of a slice with the numbers from `begin` to `end`.

    Args:
      rows: Steps that there may be from a position to the end of the match, and two more.

    Returns:
      The number of a position that could not be worked out, or -1.
    """
    return _work_out(borrowed(t), borrowed(x), borrowed(values), row, begin, end, rows)


@kernel
def _work_out(t, x, values, row, begin, end, rows):
    states = allocate(rows, t[e.T_STATE_SIZE])
    choices = allocate(rows, t[e.T_NUM_ACTIONS])
    frames = allocate(rows, FRAME_SIZE)
    scratch = allocate(1, t[e.T_SCRATCH_SIZE])
    base = x[row + BASE]
    failed = -1
    for number in range(begin, end):
        if values[base + number] == UNKNOWN and set_up(t, x, row, number, states[0]):
            code = value_of(t, x, values, states, choices, frames, scratch[0], rows, WORK_OUT)
            if code == OUTSIDE:
                failed = number
                break
            values[base + number] = code
    release(states)
    release(choices)
    release(frames)
    release(scratch)
    return failed
