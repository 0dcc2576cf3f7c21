"""Solves a group of slices by retrograde analysis: from the ends of matches backward, ply by ply.

A position is closed where no step leads on within the group: it has ended, or its player must capture. The value of a
closed position is known at once. An open one is worth what its closed moves bring, its bound, or what comes back to it
from other open positions. Sources: Ströhlein 1970, Untersuchungen über kombinatorische Spiele; Thompson 1986,
Retrograde Analysis of Certain Endgames.

Arguments are as in `turns.py`. `bounds` and `marks` have a place for each number of the group, which begins at the
number `first`. Every kernel works on the numbers of one slice from `begin` to `end`; several may run at once, since
none reads what another writes in the same pass.
"""

from ...engine import rules as e
from ...engine.compiler import allocate, borrowed, inlined, kernel, lowest, release
from .index_layout import *
from .numbering import forget_all, number_of, remind, set_up, slice_at
from .turn_values import (
    FRAME_SIZE,
    LOOK_UP,
    NO_WORTH,
    a_ply_before,
    code_of,
    ended,
    is_conversion,
    must_capture,
    value_after,
    value_of,
    worth_of,
)

CLOSED = -32768  # in place of a bound

# Marks.
FRESH = 2  # has been given a value in this round
ASKED = 1  # something that follows has been given one

# What is spread backward from the positions whose value is known.
PLIES, ROUNDS = 0, 1

# What is decided among positions that need not end.
WITHOUT_END, DRAW_BY_FEWER = 0, 1


@kernel
def close(t, x, values, bounds, first, row, begin, end, rows):
    """Gives closed positions their values, and open ones as their bounds what captures and promotions bring."""
    p_t, p_x, p_values, p_bounds = borrowed(t), borrowed(x), borrowed(values), borrowed(bounds)
    states = allocate(rows, p_t[e.T_STATE_SIZE])
    choices = allocate(rows, p_t[e.T_NUM_ACTIONS])
    frames = allocate(rows, FRAME_SIZE)
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    failed = -1
    for number in range(begin, end):
        place = p_x[row + BASE] + number
        p_bounds[place - first] = CLOSED
        if set_up(p_t, p_x, row, number, states[0]):
            ok = _close_one(
                p_t, p_x, p_values, p_bounds, first, place, states, choices, frames, scratch[0], actions[0], rows
            )
            if not ok:
                failed = number
                break
    release(states)
    release(choices)
    release(frames)
    release(scratch)
    release(actions)
    return failed


@kernel
def _close_one(t, x, values, bounds, first, place, states, choices, frames, w, actions, rows):
    s = states[0]
    n = e.legal_actions(t, s, w, actions)
    code = ended(t, s, n)
    if code == UNKNOWN and must_capture(t, s, actions, n):
        code = value_of(t, x, values, states, choices, frames, w, rows, LOOK_UP)
        if code == OUTSIDE:
            return False
    if code != UNKNOWN:
        values[place] = code
        return True
    bounds[place - first] = UNKNOWN
    worth = NO_WORTH
    for index in range(n):
        e.copy_state(t, s, states[1])
        e.apply_action(t, states[1], w, actions[index])
        if is_conversion(t, s, states[1], actions[index]):
            code = value_after(t, x, values, states, choices, frames, w, rows, LOOK_UP, actions[index])
            if code == OUTSIDE:
                return False
            worth = max(worth, worth_of(code))
    if worth != NO_WORTH:
        bounds[place - first] = code_of(worth)
    return True


@kernel
def bound(t, x, values, bounds, first, row, begin, end):
    """Adds to the bounds of open positions what steps to closed ones bring.

    Where that wins, or no other open position follows, it is the value, as far as is known. Returns the most plies in
    which a position has been found to end.
    """
    p_t, p_x, p_values, p_bounds = borrowed(t), borrowed(x), borrowed(values), borrowed(bounds)
    states = allocate(2, p_t[e.T_STATE_SIZE])
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    most = 0
    for number in range(begin, end):
        place = p_x[row + BASE] + number
        if p_bounds[place - first] == CLOSED:
            continue
        set_up(p_t, p_x, row, number, states[0])
        code = _bound_one(p_t, p_x, p_values, p_bounds, first, place, states, scratch[0], actions[0])
        if code != UNKNOWN:
            p_values[place] = code
            most = max(most, plies_of(code))
    release(states)
    release(scratch)
    release(actions)
    return most


@inlined
def plies_of(code):
    """In how many plies a match ends, 0 where it need not."""
    if code == DRAWN or code >= ENDLESS or code <= -ENDLESS:
        return 0
    return code - WON if code > 0 else LOST - code


@kernel
def _bound_one(t, x, values, bounds, first, place, states, w, actions):
    s = states[0]
    n = e.legal_actions(t, s, w, actions)
    worth = NO_WORTH
    if bounds[place - first] != UNKNOWN:
        worth = worth_of(int(bounds[place - first]))
    is_open = False
    for index in range(n):
        child = _step(t, x, states, w, actions[index])
        if child < 0:
            continue
        if bounds[child - first] == CLOSED:
            worth = max(worth, worth_of(a_ply_before(int(values[child]))))
        else:
            is_open = True
    if worth == NO_WORTH:
        return UNKNOWN
    code = code_of(worth)
    bounds[place - first] = code
    if not is_open or (code > DRAWN and code != ENDLESS):
        return code
    return UNKNOWN


@inlined
def _step(t, x, states, w, action):
    """The number of the position after a step, -1 where that changes the pieces."""
    s, after = states[0], states[1]
    e.copy_state(t, s, after)
    e.apply_action(t, after, w, action)
    after[e.QUIET] = 0
    if is_conversion(t, s, after, action):
        return -1
    return number_of(t, x, after)


@kernel
def spread(t, x, values, bounds, marks, first, row, begin, end, ply, what):
    """Tells open positions what follows them.

    With PLIES, where a position is lost in `ply - 1` plies those before it are won in `ply`, and where one is won in
    `ply - 1` those before it are marked. With ROUNDS, those before fresh positions are marked.

    Returns:
      The number of positions from which something was spread.
    """
    p_t, p_x, p_values = borrowed(t), borrowed(x), borrowed(values)
    p_bounds, p_marks = borrowed(bounds), borrowed(marks)
    states = allocate(4, p_t[e.T_STATE_SIZE])
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    lost, won = LOST - (ply - 1), WON + ply - 1
    count = 0
    for number in range(begin, end):
        place = p_x[row + BASE] + number
        if what == ROUNDS:
            if p_marks[place - first] != FRESH:
                continue
            p_marks[place - first] = 0
        elif (p_values[place] != lost and p_values[place] != won) or p_bounds[place - first] == CLOSED:
            continue
        count += 1
        set_up(p_t, p_x, row, number, states[0])
        is_lost = what == PLIES and p_values[place] == lost
        _spread_one(p_t, p_x, p_values, p_bounds, p_marks, first, place, states, scratch[0], actions[0], ply, is_lost)
    release(states)
    release(scratch)
    release(actions)
    return count


@kernel
def _spread_one(t, x, values, bounds, marks, first, place, states, w, actions, ply, is_lost):
    s, before = states[0], states[1]
    player = 1 - s[e.PLAYER]
    occupied = s[e.MEN] | s[e.KINGS] | s[e.MEN + 1] | s[e.KINGS + 1]
    pieces = s[e.MEN + player] | s[e.KINGS + player]
    lists = x[X_UNSTEPS] + player * x[X_POINTS]
    while pieces:
        point = lowest(pieces)
        pieces &= pieces - 1
        is_king = s[e.KINGS + player] >> point & 1
        kind = e.KINGS if is_king else e.MEN
        rows = x[lists + point]
        for index in range(x[rows]):
            unstep = rows + 1 + index * UNSTEP_SIZE
            origin = 1 << x[unstep + FROM]
            if x[unstep + IS_KING] != is_king or occupied & (origin | x[unstep + WAY]):
                continue
            e.copy_state(t, s, before)
            before[e.PLAYER] = player
            if x[X_MEMORY] != NO_MEMORY:
                forget_all(t, before, player)
            before[kind + player] ^= origin | 1 << point
            if x[X_MEMORY] == NO_MEMORY:
                _tell(t, x, values, bounds, marks, first, before, ply, is_lost)
            else:
                _tell_each(t, x, values, bounds, marks, first, place, states, w, actions, ply, is_lost)
    if t[e.T_NO_MOVES] == e.PASS:
        e.copy_state(t, s, before)
        before[e.PLAYER] = player
        if e.legal_actions(t, before, w, actions) == 1 and actions[0] == t[e.T_PASS_ACTION]:
            _tell(t, x, values, bounds, marks, first, before, ply, is_lost)


@inlined
def _tell(t, x, values, bounds, marks, first, before, ply, is_lost):
    """Wins the position before a lost one, if it is open, or marks it."""
    place = number_of(t, x, before)
    if bounds[place - first] == CLOSED:
        return
    if is_lost:
        if values[place] == UNKNOWN or values[place] > WON + ply:
            values[place] = WON + ply
    elif values[place] == UNKNOWN:
        marks[place - first] = ASKED


@kernel
def _tell_each(t, x, values, bounds, marks, first, place, states, w, actions, ply, is_lost):
    """As `_tell`, for all that the pieces of the player may have remembered before the step."""
    plain, before = states[1], states[2]
    player = plain[e.PLAYER]
    row = slice_at(x, plain)
    for memory in range(x[row + OWN_MEMORIES]):
        e.copy_state(t, plain, before)
        if remind(t, x, before, player, memory) and _leads_to(t, x, before, states[3], w, actions, place):
            _tell(t, x, values, bounds, marks, first, before, ply, is_lost)


@kernel
def _leads_to(t, x, s, after, w, actions, place):
    """Whether a step leads from a position to the one with a number."""
    n = e.legal_actions(t, s, w, actions)
    for index in range(n):
        e.copy_state(t, s, after)
        e.apply_action(t, after, w, actions[index])
        after[e.QUIET] = 0
        if not is_conversion(t, s, after, actions[index]) and number_of(t, x, after) == place:
            return True
    return False


@kernel
def settle(t, x, values, bounds, marks, first, row, begin, end, ply):
    """Finds which marked positions are lost in `ply` plies; returns the most plies in which one is lost."""
    p_t, p_x, p_values = borrowed(t), borrowed(x), borrowed(values)
    p_bounds, p_marks = borrowed(bounds), borrowed(marks)
    states = allocate(2, p_t[e.T_STATE_SIZE])
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    most = 0
    for number in range(begin, end):
        place = p_x[row + BASE] + number
        if p_marks[place - first] == 0:
            continue
        p_marks[place - first] = 0
        limit = int(p_bounds[place - first])
        if p_values[place] != UNKNOWN or limit == DRAWN or limit > DRAWN or limit == -ENDLESS:
            continue
        set_up(p_t, p_x, row, number, states[0])
        if _all_won(p_t, p_x, p_values, p_bounds, first, states, scratch[0], actions[0], WON + ply - 1):
            p_values[place] = min(LOST - ply, limit)
            most = max(most, LOST - int(p_values[place]))
    release(states)
    release(scratch)
    release(actions)
    return most


@kernel
def _all_won(t, x, values, bounds, first, states, w, actions, slowest):
    """Whether all steps lead to positions that the other player wins, as fast as that if they are open."""
    n = e.legal_actions(t, states[0], w, actions)
    for index in range(n):
        child = _step(t, x, states, w, actions[index])
        if child < 0 or bounds[child - first] == CLOSED:
            continue
        if values[child] <= DRAWN or values[child] > slowest:
            return False
    return True


@kernel
def decide(t, x, values, bounds, marks, first, row, begin, end, what):
    """Finds values of marked positions that do not end in a known number of plies, from those known already.

    With WITHOUT_END, wins and losses that end in endless play later on; with DRAW_BY_FEWER, those where the player with
    fewer pieces, who loses by endless play, can force a draw. Returns how many were found.
    """
    p_t, p_x, p_values = borrowed(t), borrowed(x), borrowed(values)
    p_bounds, p_marks = borrowed(bounds), borrowed(marks)
    states = allocate(2, p_t[e.T_STATE_SIZE])
    scratch = allocate(1, p_t[e.T_SCRATCH_SIZE])
    actions = allocate(1, p_t[e.T_NUM_ACTIONS])
    has_more = p_x[row + OWN_MEN] + p_x[row + OWN_KINGS] > p_x[row + ENEMY_MEN] + p_x[row + ENEMY_KINGS]
    count = 0
    for number in range(begin, end):
        place = p_x[row + BASE] + number
        if p_marks[place - first] != ASKED:
            continue
        p_marks[place - first] = 0
        if p_values[place] != UNKNOWN or p_bounds[place - first] == CLOSED:
            continue
        set_up(p_t, p_x, row, number, states[0])
        limit = int(p_bounds[place - first])
        code = _decide_one(p_t, p_x, p_values, p_bounds, first, limit, states, scratch[0], actions[0], what, has_more)
        if code != UNKNOWN:
            p_values[place] = code
            p_marks[place - first] = FRESH
            count += 1
    release(states)
    release(scratch)
    release(actions)
    return count


@kernel
def _decide_one(t, x, values, bounds, first, limit, states, w, actions, what, has_more):
    n = e.legal_actions(t, states[0], w, actions)
    wins = limit > DRAWN
    draws = limit == DRAWN
    escapes = False  # into what is not known
    for index in range(n):
        child = _step(t, x, states, w, actions[index])
        if child < 0 or bounds[child - first] == CLOSED:
            continue
        code = int(values[child])
        wins = wins or code < 0
        draws = draws or code == DRAWN
        escapes = escapes or code == UNKNOWN
    if what == WITHOUT_END:
        if wins:
            return ENDLESS
        return UNKNOWN if draws or escapes else -ENDLESS
    if has_more:
        return UNKNOWN if escapes or wins else DRAWN
    return DRAWN if draws else UNKNOWN
