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
from ...engine.compiler import borrowed, inlined, kernel, long_kernel, lowest
from ...engine.kernel_types import Table, Words
from ...errors import TableError
from ...game import state_layout as STATE, table_layout as TABLE
from . import index_layout as INDEX
from .index import Index, Slice, majority_wins
from .numbering import clear_memory, closed_points, number_of, set_memory, set_up, slice_at
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

# Marks.
RESOLVED = 2  # got its value in this round
CANDIDATE = 1  # a position after it got its value

# What `propagate` does.
PLIES, ROUNDS = 0, 1

# What `resolve_endless` looks for.
ENDLESS_RESULTS, FORCED_DRAWS = 0, 1


class Group(NamedTuple):
    """What the kernels read and write.

    Attributes:
      t, x, values: The step table, the index, and the codes of all positions.
      bounds: For each number of the group its bound, CLOSED for closed positions.
      marks: For each number of the group its mark.
      first: The first number of the group.
      to_progress: Whether plies are counted to the next progress: then a step that is progress ends a line, also one
        that stays within the group, and `bound_by_progress` brings what it is worth.
    """

    t: Table
    x: Table
    values: Words
    bounds: Words
    marks: Words
    first: int
    to_progress: int


@long_kernel
def close(group: Group, row: int, begin: int, end: int, length: int) -> int:
    """Finds the values of closed positions, and as bounds of open ones what captures and promotions bring.

    Returns:
      The number of a position with a turn of more than `length` steps, or -1.
    """
    g = borrowed(group)
    line = allocate_line(g.t, length)
    failed = -1
    for number in range(begin, end):
        place = g.x[row + INDEX.BASE] + number
        g.bounds[place - g.first] = CLOSED
        if set_up(g.t, g.x, row, number, line.states[0]) and not _close_one(g, place, line):
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
def bound_by_progress(group: Group, row: int, begin: int, end: int, known: Words) -> None:
    """Improves the bounds of open positions by the steps within the group that are progress, such as a man's.

    `known` has for each number of the group the winner of a match right after progress there, as WON, DRAWN or LOST.
    """
    g = borrowed(group)
    p_known = borrowed(known)
    line = allocate_line(g.t, 2)
    s, after, actions = line.states[0], line.states[1], line.choices[0]
    for number in range(begin, end):
        place = g.x[row + INDEX.BASE] + number - g.first
        if g.bounds[place] == CLOSED:
            continue
        set_up(g.t, g.x, row, number, s)
        n = rules.legal_actions(g.t, s, line.scratch[0], actions)
        score = NO_SCORE if g.bounds[place] == UNKNOWN else score_of(int(g.bounds[place]))
        for action in range(n):
            rules.copy_state(g.t, s, after)
            rules.apply_action(g.t, after, line.scratch[0], actions[action])
            if after[STATE.QUIET] == 0 and not is_conversion(g.t, s, after, actions[action]):
                child = number_of(g.t, g.x, after) - g.first
                score = max(score, score_of(value_before(int(p_known[child]))))
        if score != NO_SCORE:
            g.bounds[place] = code_of(score)
    release_line(line)


@long_kernel
def bound(group: Group, row: int, begin: int, end: int) -> int:
    """Improves the bounds of open positions by the steps to closed ones.

    A bound that wins, or from which no step leads to an open position, is written as the value; it may still improve.

    Returns:
      The most plies to the end of a match among the values written.
    """
    g = borrowed(group)
    line = allocate_line(g.t, 2)
    actions = line.choices[0]
    most = 0
    for number in range(begin, end):
        place = g.x[row + INDEX.BASE] + number
        if g.bounds[place - g.first] == CLOSED:
            continue
        set_up(g.t, g.x, row, number, line.states[0])
        n = rules.legal_actions(g.t, line.states[0], line.scratch[0], actions)
        score = NO_SCORE
        if g.bounds[place - g.first] != UNKNOWN:
            score = score_of(int(g.bounds[place - g.first]))
        is_open = False
        for action in range(n):
            child = _number_after(g, line, actions[action])
            if child >= 0 and g.bounds[child - g.first] == CLOSED:
                score = max(score, score_of(value_before(int(g.values[child]))))
            elif child >= 0:
                is_open = True
        if score == NO_SCORE:
            continue
        code = code_of(score)
        g.bounds[place - g.first] = code
        if not is_open or (code > DRAWN and code != ENDLESS):
            g.values[place] = code
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
    if is_conversion(g.t, s, after, action) or (g.to_progress and after[STATE.QUIET] == 0):
        return -1
    after[STATE.QUIET] = 0
    return number_of(g.t, g.x, after)


@long_kernel
def propagate(group: Group, row: int, begin: int, end: int, ply: int, what: int) -> int:
    """Goes back from positions with known values to the open positions before them.

    With PLIES, positions before one that is lost in `ply - 1` plies are won in `ply`, and positions before one that is
    won in `ply - 1` become candidates. With ROUNDS, positions before resolved ones become candidates.

    Returns:
      The number of positions from which it went back.
    """
    g = borrowed(group)
    line = allocate_line(g.t, 4)
    lost, won = LOST - (ply - 1), WON + ply - 1
    count = 0
    for number in range(begin, end):
        place = g.x[row + INDEX.BASE] + number
        if what == ROUNDS:
            if g.marks[place - g.first] != RESOLVED:
                continue
            g.marks[place - g.first] = 0
        elif (g.values[place] != lost and g.values[place] != won) or g.bounds[place - g.first] == CLOSED:
            continue
        count += 1
        set_up(g.t, g.x, row, number, line.states[0])
        _propagate_one(g, place, line, ply, what == PLIES and g.values[place] == lost)
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
            if g.to_progress and t[TABLE.MAN_STEP_IS_PROGRESS] and not is_king:
                continue
            rules.copy_state(t, s, before)
            before[STATE.PLAYER] = player
            if x[INDEX.MEMORY] != INDEX.NO_MEMORY:
                clear_memory(t, before, player)
            before[kind + player] ^= origin | 1 << point
            if x[INDEX.MEMORY] != INDEX.NO_MEMORY:
                _update_with_memory(g, place, line, ply, is_lost)
            elif t[TABLE.NUM_PARTS] or t[TABLE.NUM_FLANKS]:
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
    """As `_update_before`, unless the step back is none: it came from a closed point, or would have captured."""
    before = line.states[2]
    rules.copy_state(g.t, line.states[1], before)
    if g.t[TABLE.NUM_PARTS]:
        before[g.t[TABLE.CLOSED]] = closed_points(g.t, before)
    if _leads_to(g, line, place):
        _update_before(g, before, ply, is_lost)


@kernel
def _update_with_memory(g: Group, place: int, line: Line, ply: int, is_lost: bool) -> None:
    """As `_update_before`, for all memories that the player's pieces may have had before the step."""
    plain, before = line.states[1], line.states[2]
    player = plain[STATE.PLAYER]
    row = slice_at(g.x, plain)
    for memory in range(g.x[row + INDEX.OWN_MEMORIES]):
        rules.copy_state(g.t, plain, before)
        if set_memory(g.t, g.x, before, player, memory) and _leads_to(g, line, place):
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
    g = borrowed(group)
    line = allocate_line(g.t, 2)
    actions = line.choices[0]
    most = 0
    for number in range(begin, end):
        place = g.x[row + INDEX.BASE] + number
        if g.marks[place - g.first] == 0:
            continue
        g.marks[place - g.first] = 0
        limit = int(g.bounds[place - g.first])
        if g.values[place] != UNKNOWN or limit == DRAWN or limit > DRAWN or limit == -ENDLESS:
            continue
        set_up(g.t, g.x, row, number, line.states[0])
        n = rules.legal_actions(g.t, line.states[0], line.scratch[0], actions)
        are_won = True  # by the opponent; open positions count only in at most `ply - 1` plies
        for action in range(n):
            child = _number_after(g, line, actions[action])
            if child < 0 or g.bounds[child - g.first] == CLOSED:
                continue
            if g.values[child] <= DRAWN or g.values[child] > WON + ply - 1:
                are_won = False
                break
        if are_won:
            g.values[place] = min(LOST - ply, limit)
            most = max(most, LOST - int(g.values[place]))
    release_line(line)
    return most


@long_kernel
def resolve_endless(group: Group, row: int, begin: int, end: int, what: int) -> int:
    """Finds values of candidates whose matches need not end, from the values known so far.

    With ENDLESS_RESULTS it finds wins and losses that lead to endless play; with FORCED_DRAWS the positions where the
    player with fewer pieces, who loses endless play, can force a draw.

    Returns:
      The number of values found.
    """
    g = borrowed(group)
    line = allocate_line(g.t, 2)
    x, actions = g.x, line.choices[0]
    has_more = x[row + INDEX.OWN_MEN] + x[row + INDEX.OWN_KINGS] > x[row + INDEX.ENEMY_MEN] + x[row + INDEX.ENEMY_KINGS]
    count = 0
    for number in range(begin, end):
        place = x[row + INDEX.BASE] + number
        if g.marks[place - g.first] != CANDIDATE:
            continue
        g.marks[place - g.first] = 0
        if g.values[place] != UNKNOWN or g.bounds[place - g.first] == CLOSED:
            continue
        set_up(g.t, x, row, number, line.states[0])
        n = rules.legal_actions(g.t, line.states[0], line.scratch[0], actions)
        limit = int(g.bounds[place - g.first])
        wins = limit > DRAWN
        draws = limit == DRAWN
        escapes = False  # to a position of unknown value
        for action in range(n):
            child = _number_after(g, line, actions[action])
            if child < 0 or g.bounds[child - g.first] == CLOSED:
                continue
            value = int(g.values[child])
            wins = wins or value < 0
            draws = draws or value == DRAWN
            escapes = escapes or value == UNKNOWN
        code = UNKNOWN
        if what == ENDLESS_RESULTS and wins:
            code = ENDLESS
        elif what == ENDLESS_RESULTS and not (draws or escapes):
            code = -ENDLESS
        elif what == FORCED_DRAWS and (not (escapes or wins) if has_more else draws):
            code = DRAWN
        if code != UNKNOWN:
            g.values[place] = code
            g.marks[place - g.first] = RESOLVED
            count += 1
    release_line(line)
    return count


LONGEST_TURN = 64  # the most steps of a turn

CLOSING, BOUNDING = 0.5, 0.2  # the shares of the first passes in the work on a group, for the progress display

Each = Callable[[tuple[Slice, ...], str, float, Callable[[int, int, int], Any]], list[Any]]
"""`each(slices, stage, share, task)` calls `task(row, begin, end)` for all numbers of some slices, in several threads.

`stage` names the work for the progress display, `share` is its share in the work on the slices.
"""


def is_uneven(group: tuple[Slice, ...]) -> bool:
    """Whether one player has more pieces than the other."""
    return group[0].lead != 0


class GroupAnalysis:
    """The analysis of a group, from int16 `[N]` codes of all earlier groups with room for those of this one.

    It has int16 `values`, the codes of the group itself, and `bounds` of open positions, CLOSED for the others.
    """

    def __init__(self, index: Index, values: np.ndarray, group: tuple[Slice, ...], each: Each) -> None:
        self.group = group
        self.first = group[0].base
        size = sum(part.size for part in group)
        self.values = values[self.first : self.first + size]
        self.bounds = np.zeros(size, np.int16)
        self._marks = np.zeros(size, np.int8)
        self._each = each
        self._is_won_by_majority = majority_wins(index)
        self._majority = self._is_won_by_majority and is_uneven(group)
        self._data = Group(index.rules, index.words, np.asarray(values), self.bounds, self._marks, self.first, 0)

    def close(self) -> None:
        """Finds the values of closed positions, and the bounds of open ones from captures and promotions."""
        if max(self._pass("captures", CLOSING, close, LONGEST_TURN)) >= 0:
            raise TableError(f"a turn in slice {self.group[0].name} has more than {LONGEST_TURN} steps")

    def find_finite(self) -> None:
        """Finds all wins and losses in a known number of plies."""
        most = max(self._pass("steps", BOUNDING, bound))
        ply = 1
        while ply <= most + 1:
            if sum(self._pass(f"ply {ply}", 0.0, propagate, ply, PLIES)):
                most = max(most, ply, *self._pass(f"ply {ply}", 0.0, find_losses, ply))
            ply += 1

    def stop_at_progress(self, known: np.ndarray) -> None:
        """Makes `find_finite` count plies to the next progress; `known` as in `retrograde.bound_by_progress`."""
        self._data = self._data._replace(to_progress=1)
        self._pass("progress", 0.0, bound_by_progress, known)

    def find_endless(self) -> None:
        """Finds the values of the positions that are left: that of endless play, or what can be forced from there."""
        if self._is_won_by_majority:
            self._resolve(ENDLESS_RESULTS)
        if self._majority:
            self._resolve(FORCED_DRAWS)
        for part in self.group:
            endless = DRAWN if not self._majority else ENDLESS if part.lead > 0 else -ENDLESS
            rest = self.place_of(part)
            is_left = (self.values[rest] == UNKNOWN) & (self.bounds[rest] != CLOSED)
            self.values[rest][is_left] = endless

    def place_of(self, part: Slice) -> slice:
        """Where the numbers of a slice are among those of the group."""
        return slice(part.base - self.first, part.base - self.first + part.size)

    def _resolve(self, what: int) -> None:
        self._marks[(self.values == UNKNOWN) & (self.bounds != CLOSED)] = CANDIDATE
        while sum(self._pass("endless play", 0.0, resolve_endless, what)):
            self._pass("endless play", 0.0, propagate, 0, ROUNDS)

    def _pass(self, stage: str, share: float, kernel: Callable[..., Any], *last: Any) -> list[Any]:
        return self._each(self.group, stage, share, lambda row, begin, end: kernel(self._data, row, begin, end, *last))
