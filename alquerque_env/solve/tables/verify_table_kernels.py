"""Verifies the values of a table from the rules alone: by steps forward, with no part of the retrograde analysis.

`find_wrong_value` compares each value with those after each turn. That settles wins and losses in a known number of
plies: a wrong one would need another that ends sooner, down to the end of a match. It does not settle draws and endless
play, since a cycle of wrong values can agree with itself.

`improve` settles them. It plays each group of slices with a clock that leaves 0, 1, 2, ... plies without a capture or
promotion: at the end of the clock the match has its result at the limit, captures and promotions lead to a value that
is verified already. Values only get better for the player who fares badly at the limit. So every value must be reached
after some number of plies; one that never is has nothing that makes it so.

The same clock, with the game's own rule of progress, verifies the notes on the limit.

Every kernel works on the numbers of one slice from `begin` to `end`; `row` is the slice's row in the index.
"""

from typing import NamedTuple

from ...engine import rules_scalar as rules
from ...engine.compiler import borrowed, inlined, kernel, long_kernel
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE
from . import index_layout as INDEX
from .numbering import number_of, set_up
from .turn_values import (
    Line,
    Values,
    allocate_line,
    final_value,
    is_conversion,
    release_line,
    value_after,
    value_of,
)
from .value_codes import DRAWN, UNKNOWN

UNSETTLED = 2  # as a goal: the value is not known before


class Clock(NamedTuple):
    """The values of a group while the clock is played.

    Attributes:
      t, x, codes: The step table, the index, and the codes of earlier groups, none left out.
      goals: int8, for each number of the group the value to be reached, 1, 0 or -1, or UNSETTLED.
      before, after: int8, the values with one ply less on the clock, and with this many.
      restarted: int8, the values after progress within the group, such as a man's step. Looked at if `restarts`.
      first: The first number of the group.
      restarts: Whether such steps are progress.
    """

    t: Table
    x: Table
    codes: Words
    goals: Words
    before: Words
    after: Words
    restarted: Words
    first: int
    restarts: int


@long_kernel
def find_wrong_value(values: Values, row: int, begin: int, end: int, length: int) -> int:
    """Compares values of a slice with those that follow from the positions after each turn.

    Values of positions with compulsory captures, which a file leaves out, must be there. Numbers of no position get
    UNKNOWN.

    Returns:
      The number of the first value that is wrong, or -1.
    """
    v = borrowed(values)
    line = allocate_line(v.t, length)
    wrong = -1
    for number in range(begin, end):
        place = v.x[row + INDEX.BASE] + number
        if not set_up(v.t, v.x, row, number, line.states[0]):
            v.codes[place] = UNKNOWN
        elif value_of(v, line) != v.codes[place]:
            wrong = number
            break
    release_line(line)
    return wrong


@long_kernel
def begin_clock(clock: Clock, row: int, begin: int, end: int, at_limit: int, is_settled: int) -> None:
    """Writes the values with no ply left: the result at the limit for the player to move, unless the match has ended.

    Goals are the signs of the values in the table if `is_settled`, else UNSETTLED.
    """
    c = borrowed(clock)
    line = allocate_line(c.t, 1)
    s = line.states[0]
    for number in range(begin, end):
        place = c.x[row + INDEX.BASE] + number
        goal = 0
        result = 0
        if set_up(c.t, c.x, row, number, s):
            n = rules.legal_actions(c.t, s, line.scratch[0], line.choices[0])
            code = final_value(c.t, s, n)
            goal = sign_of(code)
            result = goal
            if code == UNKNOWN:
                goal = sign_of(int(c.codes[place])) if is_settled else UNSETTLED
                result = at_limit
        c.goals[place - c.first] = goal
        c.before[place - c.first] = result
    release_line(line)


@long_kernel
def improve(clock: Clock, row: int, begin: int, end: int, length: int) -> int:
    """Writes the values with one ply more on the clock from those with one less; returns how many are others."""
    c = borrowed(clock)
    line = allocate_line(c.t, length)
    count = 0
    for number in range(begin, end):
        place = c.x[row + INDEX.BASE] + number - c.first
        value = int(c.before[place])
        if value != c.goals[place] and set_up(c.t, c.x, row, number, line.states[0]):
            value = _best_value(c, line)
            if value != c.before[place]:
                count += 1
        c.after[place] = value
    release_line(line)
    return count


@kernel
def _best_value(c: Clock, line: Line) -> int:
    t, s, after, w, actions = c.t, line.states[0], line.states[1], line.scratch[0], line.choices[0]
    values = Values(t, c.x, c.codes)
    n = rules.legal_actions(t, s, w, actions)
    best = -1
    for index in range(n):
        rules.copy_state(t, s, after)
        rules.apply_action(t, after, w, actions[index])
        is_progress = c.restarts and after[STATE.QUIET] == 0
        after[STATE.QUIET] = 0
        if is_conversion(t, s, after, actions[index]):
            value = sign_of(value_after(values, line, actions[index]))
        else:
            child = number_of(t, c.x, after) - c.first
            value = -int(c.restarted[child] if is_progress else c.before[child])
        best = max(best, value)
        if best == 1:
            break
    return best


@inlined
def sign_of(code: int) -> int:
    """1, 0 or -1 for a value; 0 for UNKNOWN."""
    if code == DRAWN:
        return 0
    return 1 if code > 0 else -1 if code < 0 else 0
