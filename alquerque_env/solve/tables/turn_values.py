"""The value of a position from those after each turn: the best that the player to move can reach.

Arguments are as in `numbering.py`; `values` holds a code for each number. The search through the steps of a turn keeps
its own stack: `states`, `choices` and `frames` have a row for each step, row 0 for the position itself.
"""

from ...engine import rules as e
from ...engine.compiler import inlined, kernel, popcount
from .index_layout import *
from .numbering import number_of

# Layout of a frame.
COUNT, NEXT, WORTH, PLACE, FRAME_SIZE = 0, 1, 2, 3, 4
NOWHERE = -1

# What is done where a turn ends: the value is looked up; the same, but where the next player must capture that turn is
# followed, since values of such positions are not kept; or what is not known yet is worked out and kept.
LOOK_UP, FOLLOW_CAPTURES, WORK_OUT = 0, 1, 2


@inlined
def worth_of(code):
    """How good a value is for its player."""
    if code == DRAWN:
        return 0
    return BEST_WORTH - code if code > 0 else -BEST_WORTH - code


@inlined
def code_of(worth):
    """The value that is worth so much."""
    if worth == 0:
        return DRAWN
    return BEST_WORTH - worth if worth > 0 else -BEST_WORTH - worth


@inlined
def a_ply_before(code):
    """The value of a turn for its player, from that of the position after it for the other."""
    if code == DRAWN:
        return DRAWN
    if code >= ENDLESS or code <= -ENDLESS:
        return -code
    return -code - 1 if code > 0 else 1 - code


@inlined
def ended(t, s, n):
    """The value of a position with `n` legal actions if the match ends there, else UNKNOWN."""
    result = e.outcome(t, s, n, 0)
    if result == e.ONGOING:
        return UNKNOWN
    if result % 4 == e.NOBODY:
        return DRAWN
    return WON if result % 4 == s[e.PLAYER] else LOST


@inlined
def must_capture(t, s, choices, n):
    """Whether the legal actions at the beginning of a turn are captures and nothing else."""
    return n > 0 and t[e.T_CAPTURE_OPTIONAL] == 0 and _is_capture(t, s, choices[0])


@inlined
def _is_capture(t, s, action):
    return action != t[e.T_PASS_ACTION] and t[e.step_of(t, s[e.PLAYER], action) + e.OVER] >= 0


@inlined
def is_conversion(t, s, after, action):
    """Whether a step changes the pieces, so that it leads to an earlier group of slices."""
    if _is_capture(t, s, action):
        return True
    player = s[e.PLAYER]
    return popcount(after[e.KINGS + player]) != popcount(s[e.KINGS + player])


@kernel
def value_after(t, x, values, states, choices, frames, w, rows, mode, action):
    """The value of a turn that begins with an action, for the player of row 0; OUTSIDE where it is not known."""
    e.copy_state(t, states[0], states[1])
    e.apply_action(t, states[1], w, action)
    states[1][e.QUIET] = 0
    code = _look(t, x, values, states[1], choices[1], frames[1], w, mode)
    if code == UNKNOWN:
        code = _search(t, x, values, states, choices, frames, w, rows, mode, 1)
    if code == OUTSIDE or states[1][e.PLAYER] == states[0][e.PLAYER]:
        return code
    return a_ply_before(code)


@kernel
def value_of(t, x, values, states, choices, frames, w, rows, mode):
    """The value of the position in row 0, from what follows; OUTSIDE where that is not known.

    The clock is left out. Where the number of a position is not known in `values`, it stands in PLACE of the first
    frame, so that it can be provided.
    """
    s = states[0]
    s[e.QUIET] = 0
    frame = frames[0]
    n = e.legal_actions(t, s, w, choices[0])
    if s[e.CHAIN] < 0:
        code = ended(t, s, n)
        if code != UNKNOWN:
            return code
    _set_up_frame(frame, n, NOWHERE)
    return _search(t, x, values, states, choices, frames, w, rows, mode, 0)


@inlined
def _set_up_frame(frame, n, place):
    frame[COUNT] = n
    frame[NEXT] = 0
    frame[WORTH] = NO_WORTH
    frame[PLACE] = place


@kernel
def _search(t, x, values, states, choices, frames, w, rows, mode, first):
    """Goes through everything that can follow the position in row `first`, whose frame is set up."""
    level = first
    while True:
        frame = frames[level]
        s = states[level]
        if frame[NEXT] < frame[COUNT]:
            if level + 2 > rows:
                return OUTSIDE
            action = choices[level][frame[NEXT]]
            frame[NEXT] += 1
            after = states[level + 1]
            e.copy_state(t, s, after)
            e.apply_action(t, after, w, action)
            after[e.QUIET] = 0
            code = _look(t, x, values, after, choices[level + 1], frames[level + 1], w, mode)
            if code == UNKNOWN:
                level += 1
                continue
            if code == OUTSIDE:
                frames[0][PLACE] = frames[level + 1][PLACE]
                return OUTSIDE
        else:
            code = code_of(frame[WORTH])
            if frame[PLACE] >= 0:
                values[frame[PLACE]] = code
            if level == first:
                return code
            after = s
            level -= 1
            frame = frames[level]
            s = states[level]
        if after[e.PLAYER] != s[e.PLAYER]:
            code = a_ply_before(code)
        frame[WORTH] = max(frame[WORTH], worth_of(code))


@kernel
def _look(t, x, values, s, choices, frame, w, mode):
    """The value of a position if it is known; UNKNOWN if it must be searched, and then its frame is set up."""
    if s[e.CHAIN] >= 0:
        _set_up_frame(frame, e.legal_actions(t, s, w, choices), NOWHERE)
        return UNKNOWN
    player = s[e.PLAYER]
    if s[e.MEN + player] | s[e.KINGS + player] == 0:
        return LOST
    if s[e.MEN + 1 - player] | s[e.KINGS + 1 - player] == 0:
        return WON
    if mode == FOLLOW_CAPTURES and t[e.T_CAPTURE_OPTIONAL] == 0:
        n = e.legal_actions(t, s, w, choices)
        if must_capture(t, s, choices, n):
            _set_up_frame(frame, n, NOWHERE)
            return UNKNOWN
    place = number_of(t, x, s)
    frame[PLACE] = place
    if place < 0:
        return OUTSIDE
    code = int(values[place])
    if code != UNKNOWN:
        return code
    if mode != WORK_OUT:
        return OUTSIDE
    n = e.legal_actions(t, s, w, choices)
    code = ended(t, s, n)
    if code != UNKNOWN:
        values[place] = code
        return code
    _set_up_frame(frame, n, place)
    return UNKNOWN
