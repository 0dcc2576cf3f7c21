"""The value of a position from the positions after each turn: the best that the player to move can reach.

The search through the steps of a turn keeps its own stack, a `Line`.
"""

from typing import NamedTuple

from ...engine import rules_scalar as rules
from ...engine.compiler import allocate, entry_kernel, inlined, kernel, long_kernel, popcount, release
from ...engine.kernel_types import Rows, Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.outcomes import NOBODY, ONGOING
from . import index_layout as INDEX
from .numbering import number_of, set_up
from .value_codes import BEST_SCORE, DRAWN, ENDLESS, LOST, NO_SCORE, OUTSIDE, UNKNOWN, WON

# Layout of a frame: the number of legal actions, the next one to search, the best score so far, the position's number.
COUNT, NEXT, SCORE, NUMBER, FRAME_SIZE = 0, 1, 2, 3, 4
NO_NUMBER = -1

# What to do where a turn ends: look its value up; the same, but search turns of compulsory captures, whose values a
# file does not hold; or search positions of unknown value and keep what is found.
LOOK_UP, FOLLOW_CAPTURES, WORK_OUT = 0, 1, 2


class Values(NamedTuple):
    """The step table `t` of a game, the index `x` of its table, and a code for each number."""

    t: Table
    x: Table
    codes: Words


class Line(NamedTuple):
    """Room for a line of `length` positions, a row for each; row 0 is the position itself.

    `mode` is what to do where a turn ends. It is part of the line, since Numba compiles a kernel once for each constant
    argument.
    """

    states: Rows
    choices: Rows
    frames: Rows
    scratch: Rows
    length: int
    mode: int


@inlined
def allocate_line(t: Table, length: int, mode: int = LOOK_UP) -> Line:
    """A line, to be released."""
    states = allocate(length, t[TABLE.STATE_SIZE])
    choices = allocate(length, t[TABLE.NUM_ACTIONS])
    return Line(states, choices, allocate(length, FRAME_SIZE), allocate(1, t[TABLE.SCRATCH_SIZE]), length, mode)


@inlined
def release_line(line: Line) -> None:
    """Frees a line."""
    release(line.states)
    release(line.choices)
    release(line.frames)
    release(line.scratch)


@entry_kernel
def score_of(code: int) -> int:
    """The score of a value for its player."""
    if code == DRAWN:
        return 0
    return BEST_SCORE - code if code > 0 else -BEST_SCORE - code


@inlined
def code_of(score: int) -> int:
    """The value with a score."""
    if score == 0:
        return DRAWN
    return BEST_SCORE - score if score > 0 else -BEST_SCORE - score


@entry_kernel
def value_before(code: int) -> int:
    """The value of a turn for its player, from the value of the position after it for the opponent."""
    if code == DRAWN:
        return DRAWN
    if code >= ENDLESS or code <= -ENDLESS:
        return -code
    return -code - 1 if code > 0 else 1 - code


@inlined
def final_value(t: Table, s: Table, n: int) -> int:
    """The value of a position with `n` legal actions if the match is over there, else UNKNOWN."""
    result = rules.outcome(t, s, n, 0)
    if result == ONGOING:
        return UNKNOWN
    if result % 4 == NOBODY:
        return DRAWN
    return WON if result % 4 == s[STATE.PLAYER] else LOST


@inlined
def must_capture(t: Table, s: Table, choices: Table, n: int) -> bool:
    """Whether all legal actions at the start of a turn are captures."""
    # Compulsory captures exclude all other actions, so the first action tells.
    return n > 0 and t[TABLE.CAPTURE_OPTIONAL] == 0 and _is_capture(t, s, choices[0])


@inlined
def _is_capture(t: Table, s: Table, action: int) -> bool:
    return action != t[TABLE.PASS_ACTION] and t[rules.step_of(t, s[STATE.PLAYER], action) + TABLE.OVER] >= 0


@inlined
def is_conversion(t: Table, s: Table, after: Table, action: int) -> bool:
    """Whether a step is a capture or promotion, and so leads to an earlier group of slices."""
    player = s[STATE.PLAYER]
    flanks = t[TABLE.NUM_FLANKS] and after[STATE.MEN + 1 - player] != s[STATE.MEN + 1 - player]
    if flanks or _is_capture(t, s, action):
        return True
    return popcount(after[STATE.KINGS + player]) != popcount(s[STATE.KINGS + player])


@kernel
def value_after(v: Values, line: Line, action: int) -> int:
    """The value of a turn that begins with an action, for the player of row 0; OUTSIDE if it is not known."""
    choices = line.choices[0]
    first = choices[0]
    choices[0] = action
    _set_up_frame(line.frames[0], 1, NO_NUMBER)
    code = _search(v, line)
    choices[0] = first
    return code


@kernel
def value_of(v: Values, line: Line) -> int:
    """The value of the position in row 0 from the positions after it; OUTSIDE if it is not known.

    Plies without progress are left out. If the value of a numbered position is missing, the first frame's NUMBER says
    which.
    """
    s, frame, choices = line.states[0], line.frames[0], line.choices[0]
    s[STATE.QUIET] = 0
    n = rules.legal_actions(v.t, s, line.scratch[0], choices)
    if s[STATE.CHAIN] < 0:
        code = final_value(v.t, s, n)
        if code != UNKNOWN:
            return code
    _set_up_frame(frame, n, NO_NUMBER)
    return _search(v, line)


@inlined
def _set_up_frame(frame: Words, n: int, number: int) -> None:
    frame[COUNT] = n
    frame[NEXT] = 0
    frame[SCORE] = NO_SCORE
    frame[NUMBER] = number


@kernel
def _search(v: Values, line: Line) -> int:
    """Searches below the position in row 0, whose frame is set up."""
    states, frames, w = line.states, line.frames, line.scratch[0]
    level = 0
    while True:
        frame = frames[level]
        s = states[level]
        if frame[NEXT] < frame[COUNT]:
            if level + 2 > line.length:
                return OUTSIDE
            action = line.choices[level][frame[NEXT]]
            frame[NEXT] += 1
            after = states[level + 1]
            rules.copy_state(v.t, s, after)
            rules.apply_action(v.t, after, w, action)
            after[STATE.QUIET] = 0
            code = _known_value(v, line, level + 1)
            if code == UNKNOWN:
                level += 1
                continue
            if code == OUTSIDE:
                frames[0][NUMBER] = frames[level + 1][NUMBER]
                return OUTSIDE
        else:
            code = code_of(frame[SCORE])
            if frame[NUMBER] >= 0:
                v.codes[frame[NUMBER]] = code
            if level == 0:
                return code
            after = s
            level -= 1
            frame = frames[level]
            s = states[level]
        if after[STATE.PLAYER] != s[STATE.PLAYER]:
            code = value_before(code)
        frame[SCORE] = max(frame[SCORE], score_of(code))


@kernel
def _known_value(v: Values, line: Line, level: int) -> int:
    """The value of the position in a row if it is known; UNKNOWN if it must be searched, with its frame set up."""
    s, choices, frame, w = line.states[level], line.choices[level], line.frames[level], line.scratch[0]
    if s[STATE.CHAIN] >= 0:
        _set_up_frame(frame, rules.legal_actions(v.t, s, w, choices), NO_NUMBER)
        return UNKNOWN
    player = s[STATE.PLAYER]
    # Before the look-up, since a side without pieces is in no slice.
    if popcount(s[STATE.MEN + player] | s[STATE.KINGS + player]) <= v.t[TABLE.LOSES_AT + player]:
        return LOST
    if popcount(s[STATE.MEN + 1 - player] | s[STATE.KINGS + 1 - player]) <= v.t[TABLE.LOSES_AT + 1 - player]:
        return WON
    if line.mode == FOLLOW_CAPTURES and v.t[TABLE.CAPTURE_OPTIONAL] == 0:
        n = rules.legal_actions(v.t, s, w, choices)
        if must_capture(v.t, s, choices, n):
            _set_up_frame(frame, n, NO_NUMBER)
            return UNKNOWN
    number = number_of(v.t, v.x, s)
    frame[NUMBER] = number
    if number < 0:
        return OUTSIDE
    code = int(v.codes[number])
    if code != UNKNOWN:
        return code
    if line.mode != WORK_OUT:
        return OUTSIDE
    n = rules.legal_actions(v.t, s, w, choices)
    code = final_value(v.t, s, n)
    if code != UNKNOWN:
        v.codes[number] = code
        return code
    _set_up_frame(frame, n, number)
    return UNKNOWN


@long_kernel
def solve_numbers(values: Values, row: int, begin: int, end: int, length: int) -> int:
    """Solves a slice of a game in which no position can recur: searches its positions down to known values.

    Works on the numbers from `begin` to `end`; the slice's row begins at `row`. `length` is the most steps from a
    position to the end of a match, and two more.

    Returns:
      The number of a position whose line is longer than that, or -1.
    """
    line = allocate_line(values.t, length, WORK_OUT)
    base = values.x[row + INDEX.BASE]
    failed = -1
    for number in range(begin, end):
        if values.codes[base + number] == UNKNOWN and set_up(values.t, values.x, row, number, line.states[0]):
            code = value_of(values, line)
            if code == OUTSIDE:
                failed = number
                break
            values.codes[base + number] = code
    release_line(line)
    return failed
