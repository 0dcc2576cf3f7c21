"""Solves a group of slices by retrograde analysis: from the ends of matches backward, ply by ply.

A position is closed if no step from it stays within the group: the match is over or its player must capture. The value
of a closed position is known at once. The value of an open position is its bound, the best that its captures,
promotions and steps to closed positions bring, or follows from the open positions after it. Sources: Ströhlein 1970,
Untersuchungen über kombinatorische Spiele; Thompson 1986, Retrograde Analysis of Certain Endgames.

Every kernel works on the numbers of one slice from `begin` to `end`; `row` is the slice's row in the index. Several
kernels of a pass may run at once, since none reads what another writes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules_scalar as rules
from ...engine.compiler import inlined, kernel, long_kernel, lowest
from ...engine.kernel_types import Table, Words
from ...errors import TableError
from ...game import state_layout as STATE, table_layout as TABLE
from . import index_layout as INDEX
from .index import Index, Slice
from .numbering import clear_memory, closed_points, number_of, set_memory, set_up, slice_at
from .threads import Passes
from .turn_values import (
    Line,
    Values,
    allocate_line,
    code_of,
    final_value,
    is_conversion,
    must_capture,
    release_line,
    score_of,
    value_after,
    value_before,
    value_of,
)
from .value_codes import DRAWN, ENDLESS, LOST, NO_SCORE, OUTSIDE, UNKNOWN, WON

CLOSED = -32768  # in place of a bound

CANDIDATE = 1  # as a mark: a position after it got its value


class Group(NamedTuple):
    """What the kernels read and write.

    Attributes:
      t, x, values: The step table, the index, and the codes of all positions.
      bounds: For each number of the group its bound, CLOSED for closed positions.
      marks: For each number of the group its mark.
      first: The first number of the group.
    """

    t: Table
    x: Table
    values: Words
    bounds: Words
    marks: Words
    first: int


@long_kernel
def close(group: Group, row: int, begin: int, end: int, length: int) -> int:
    """Finds the values of closed positions, and as bounds of open ones what captures and promotions bring.

    Returns:
      The number of a position with a turn of more than `length` steps, or -1.
    """
    line = allocate_line(group.t, length)
    failed = -1
    for number in range(begin, end):
        place = group.x[row + INDEX.BASE] + number
        # Numbers without a position stay CLOSED, so that the passes that follow leave them out.
        group.bounds[place - group.first] = CLOSED
        if set_up(group.t, group.x, row, number, line.states[0]) and not _close_one(group, place, line):
            failed = number
            break
    release_line(line)
    return failed


@kernel
def _close_one(g: Group, place: int, line: Line) -> bool:
    t, values = g.t, Values(g.t, g.x, g.values)
    s, after, w, actions = line.states[0], line.states[1], line.scratch[0], line.choices[0]
    n = rules.legal_actions(t, s, w, actions)
    code = final_value(t, s, n)
    if code == UNKNOWN and must_capture(t, s, actions, n):
        code = value_of(values, line)
        if code == OUTSIDE:
            return False
    if code != UNKNOWN:
        g.values[place] = code
        return True
    g.bounds[place - g.first] = UNKNOWN
    score = NO_SCORE
    for index in range(n):
        rules.copy_state(t, s, after)
        rules.apply_action(t, after, w, actions[index])
        if is_conversion(t, s, after, actions[index]):
            code = value_after(values, line, actions[index])
            if code == OUTSIDE:
                return False
            score = max(score, score_of(code))
    if score != NO_SCORE:
        g.bounds[place - g.first] = code_of(score)
    return True


@long_kernel
def bound(group: Group, row: int, begin: int, end: int) -> int:
    """Improves the bounds of open positions by the steps to closed ones.

    A bound that wins, or from which no step leads to an open position, is written as the value; it may still improve.

    Returns:
      The most plies to the end of a match among the values written.
    """
    line = allocate_line(group.t, 2)
    actions = line.choices[0]
    most = 0
    for number in range(begin, end):
        place = group.x[row + INDEX.BASE] + number
        if group.bounds[place - group.first] == CLOSED:
            continue
        set_up(group.t, group.x, row, number, line.states[0])
        n = rules.legal_actions(group.t, line.states[0], line.scratch[0], actions)
        score = NO_SCORE
        if group.bounds[place - group.first] != UNKNOWN:
            score = score_of(int(group.bounds[place - group.first]))
        is_open = False
        for action in range(n):
            child = _number_after(group, line, actions[action])
            if child >= 0 and group.bounds[child - group.first] == CLOSED:
                score = max(score, score_of(value_before(int(group.values[child]))))
            elif child >= 0:
                is_open = True
        if score == NO_SCORE:
            continue
        code = code_of(score)
        group.bounds[place - group.first] = code
        if not is_open or (code > DRAWN and code != ENDLESS):
            group.values[place] = code
            most = max(most, plies_of(code))
    release_line(line)
    return most


@inlined
def plies_of(code: int) -> int:
    """The plies to the end of a match, 0 if it is drawn or endless."""
    if code == DRAWN or code >= ENDLESS or code <= -ENDLESS:
        return 0
    return code - WON if code > 0 else LOST - code


@inlined
def _number_after(g: Group, line: Line, action: int) -> int:
    """The number of the position after a step from row 0, -1 if no line goes on there, as after a capture."""
    s, after = line.states[0], line.states[1]
    rules.copy_state(g.t, s, after)
    rules.apply_action(g.t, after, line.scratch[0], action)
    if is_conversion(g.t, s, after, action):
        return -1
    after[STATE.QUIET] = 0
    return number_of(g.t, g.x, after)


@long_kernel
def propagate(group: Group, row: int, begin: int, end: int, ply: int) -> int:
    """Goes back from positions with known values to the open positions before them.

    Positions before one that is lost in `ply - 1` plies are won in `ply`, and positions before one that is won in
    `ply - 1` become candidates.

    Returns:
      The number of positions from which it went back.
    """
    line = allocate_line(group.t, 4)
    lost, won = LOST - (ply - 1), WON + ply - 1
    count = 0
    for number in range(begin, end):
        place = group.x[row + INDEX.BASE] + number
        # The steps to closed positions are in the bounds already.
        if (group.values[place] != lost and group.values[place] != won) or group.bounds[place - group.first] == CLOSED:
            continue
        count += 1
        set_up(group.t, group.x, row, number, line.states[0])
        _propagate_one(group, place, line, ply, group.values[place] == lost)
    release_line(line)
    return count


@kernel
def _propagate_one(g: Group, place: int, line: Line, ply: int, is_lost: bool) -> None:
    t, x, s, before = g.t, g.x, line.states[0], line.states[1]
    player = 1 - s[STATE.PLAYER]
    occupied = s[STATE.MEN] | s[STATE.KINGS] | s[STATE.MEN + 1] | s[STATE.KINGS + 1]
    pieces = s[STATE.MEN + player] | s[STATE.KINGS + player]
    lists = x[INDEX.RETRO_STEPS] + player * x[INDEX.POINTS]
    while pieces:
        point = lowest(pieces)
        pieces &= pieces - 1
        is_king = s[STATE.KINGS + player] >> point & 1
        kind = STATE.KINGS if is_king else STATE.MEN
        rows = x[lists + point]
        for index in range(x[rows]):
            retro_step = rows + 1 + index * INDEX.RETRO_STEP_SIZE
            origin = 1 << x[retro_step + INDEX.FROM]
            if x[retro_step + INDEX.IS_KING] != is_king or occupied & (origin | x[retro_step + INDEX.WAY]):
                continue
            rules.copy_state(t, s, before)
            before[STATE.PLAYER] = player
            if x[INDEX.MEMORY] != INDEX.NO_MEMORY:
                clear_memory(t, before, player)
            before[kind + player] ^= origin | 1 << point
            if x[INDEX.MEMORY] != INDEX.NO_MEMORY or t[TABLE.NUM_PARTS] or t[TABLE.NUM_FLANKS]:
                _update_if_it_leads(g, place, line, ply, is_lost)
            else:
                _update_before(g, before, ply, is_lost)
    if t[TABLE.NO_MOVES + player] == TABLE.PASS:
        rules.copy_state(t, s, before)
        before[STATE.PLAYER] = player
        actions = line.choices[0]
        if rules.legal_actions(t, before, line.scratch[0], actions) == 1 and actions[0] == t[TABLE.PASS_ACTION]:
            _update_before(g, before, ply, is_lost)


@inlined
def _update_before(g: Group, before: Table, ply: int, is_lost: bool) -> None:
    """Writes the win of an open position before a lost one, or makes the position a candidate."""
    place = number_of(g.t, g.x, before)
    if g.bounds[place - g.first] == CLOSED:
        return
    if is_lost:
        if g.values[place] == UNKNOWN or g.values[place] > WON + ply:
            g.values[place] = WON + ply
    elif g.values[place] == UNKNOWN:
        g.marks[place - g.first] = CANDIDATE


@kernel
def _update_if_it_leads(g: Group, place: int, line: Line, ply: int, is_lost: bool) -> None:
    """As `_update_before`, for all memories that the player's pieces may have had before the step.

    Unless the step back is none: it came from a closed point, or would have captured.
    """
    plain, before = line.states[1], line.states[2]
    row = slice_at(g.x, plain)
    for memory in range(g.x[row + INDEX.OWN_MEMORIES]):
        rules.copy_state(g.t, plain, before)
        if g.t[TABLE.NUM_PARTS]:
            before[g.t[TABLE.CLOSED]] = closed_points(g.t, before)
        if set_memory(g.t, g.x, before, plain[STATE.PLAYER], memory) and _leads_to(g, line, place):
            _update_before(g, before, ply, is_lost)


@kernel
def _leads_to(g: Group, line: Line, place: int) -> bool:
    """Whether a step leads from the position in row 2 to the one with a number."""
    s, after, w, actions = line.states[2], line.states[3], line.scratch[0], line.choices[0]
    n = rules.legal_actions(g.t, s, w, actions)
    for index in range(n):
        rules.copy_state(g.t, s, after)
        rules.apply_action(g.t, after, w, actions[index])
        after[STATE.QUIET] = 0
        if not is_conversion(g.t, s, after, actions[index]) and number_of(g.t, g.x, after) == place:
            return True
    return False


@long_kernel
def find_losses(group: Group, row: int, begin: int, end: int, ply: int) -> int:
    """Finds the candidates that are lost in `ply` plies; returns the most plies in which one is lost."""
    line = allocate_line(group.t, 2)
    actions = line.choices[0]
    most = 0
    for number in range(begin, end):
        place = group.x[row + INDEX.BASE] + number
        if group.marks[place - group.first] == 0:
            continue
        group.marks[place - group.first] = 0
        limit = int(group.bounds[place - group.first])
        if group.values[place] != UNKNOWN or limit == DRAWN or limit > DRAWN or limit == -ENDLESS:
            continue
        set_up(group.t, group.x, row, number, line.states[0])
        n = rules.legal_actions(group.t, line.states[0], line.scratch[0], actions)
        are_won = True  # by the opponent; open positions count only in at most `ply - 1` plies
        for action in range(n):
            child = _number_after(group, line, actions[action])
            if child < 0 or group.bounds[child - group.first] == CLOSED:
                continue
            if group.values[child] <= DRAWN or group.values[child] > WON + ply - 1:
                are_won = False
                break
        if are_won:
            # The loser delays the end, so the bound counts if it is a later loss. UNKNOWN is greater than every loss.
            group.values[place] = min(LOST - ply, limit)
            most = max(most, LOST - int(group.values[place]))
    release_line(line)
    return most


LONGEST_TURN = 64  # the most steps of a turn

CLOSING, BOUNDING = 0.5, 0.2  # the shares of the first passes in the work on a group, for the progress display


class GroupAnalysis:
    """The analysis of a group, from int16 `[N]` codes of all earlier groups with room for those of this one.

    It has int16 `values`, the codes of the group itself, and `bounds` of open positions, CLOSED for the others.
    """

    def __init__(self, index: Index, values: np.ndarray, group: tuple[Slice, ...], each: Passes) -> None:
        self.group = group
        first, end = group[0].base, group[-1].end
        self.values = values[first:end]
        self.bounds = np.zeros(end - first, np.int16)
        self._each = each
        marks = np.zeros(end - first, np.int8)
        self._data = Group(index.rules, index.words, np.asarray(values), self.bounds, marks, first)

    def solve(self) -> None:
        """Finds the values of closed positions, and all wins and losses in a known number of plies."""
        if max(self._pass("captures", CLOSING, close, LONGEST_TURN)) >= 0:
            raise TableError(f"a turn in slice {self.group[0].name} has more than {LONGEST_TURN} steps")
        most = max(self._pass("steps", BOUNDING, bound))
        ply = 1
        # Bounds can be many plies from the end, so a ply at which no position has its value does not end the analysis.
        while ply <= most + 1:
            if sum(self._pass(f"ply {ply}", 0.0, propagate, ply)):
                most = max(most, ply, *self._pass(f"ply {ply}", 0.0, find_losses, ply))
            ply += 1

    @property
    def is_left(self) -> np.ndarray:
        """Which positions have no value yet: no player can force the end of the match there."""
        return (self.values == UNKNOWN) & (self.bounds != CLOSED)

    def _pass(self, stage: str, share: float, kernel: Callable[..., Any], *last: Any) -> list[Any]:
        return self._each(self.group, stage, share, lambda row, begin, end: kernel(self._data, row, begin, end, *last))
