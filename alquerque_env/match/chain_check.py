"""Checks states from outside, since kernels check no bounds, and positions in the middle of a chain.

Some chain of captures must lead to these, and it must be able to go on.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.kernel_types import Table
from ..errors import AlquerqueError, PositionError
from ..game import scratch_layout as SCRATCH, state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array, python_number
from ..game.game import Game
from ..game.templates import Template
from .position_text import Words, closed_whole, points_of, schedule_plies, unpromoted_men

MOST_TRIED = 100_000
"""Places that a chain may come from. A position with more passes the check, which would take too long."""


def check_chain(game: Game, s: Words, text: str) -> None:
    """Checks that a chain of captures can lead to a state, if its mover is in one. Errors show the position as `text`.

    Raises:
      PositionError: If the piece cannot capture again, or no chain leads to its point with the captured pieces.
    """
    if s[STATE.CHAIN] < 0:
        return
    t = game.table.plain_words
    label = game.board.labels[s[STATE.CHAIN]]
    actions = [0] * t[TABLE.NUM_ACTIONS]
    count = rules.legal_actions(t, s, [0] * t[TABLE.SCRATCH_SIZE], actions)
    if not any(action != t[TABLE.PASS_ACTION] for action in actions[:count]):
        raise PositionError(f"the piece on {label} cannot capture again, so its turn is over, in position {text!r}")
    if t[TABLE.JUMP_CLEARS] and _remembered(t, s) & _cleared(t, s):
        raise PositionError(
            f"field U forbids steps although the capture that led to {label} has lifted that, in position {text!r}"
        )
    chain = _Chain(game, s)
    victims = frozenset(points_of(s[STATE.CAPTURED]))
    if not (_has_flanked(game, t, s) if t[TABLE.NUM_FLANKS] else chain.led_to(chain.point, victims, chain.visited)):
        raise PositionError(f"no chain of captures leads to {label} in position {text!r}")


def _has_flanked(game: Game, t: Words, s: Words) -> bool:
    """Whether the last step may have been a custodial capture: it began and captured where no piece stands now."""
    mover, target = int(s[STATE.PLAYER]), int(s[STATE.CHAIN])
    own = int(s[STATE.MEN + mover])
    vacant = ~(own | int(s[STATE.MEN + 1 - mover]) | (int(s[t[TABLE.CLOSED]]) if t[TABLE.NUM_PARTS] else 0))
    steps = game.table.steps[mover * t[TABLE.NUM_ACTIONS] :][: t[TABLE.NUM_ACTIONS]]
    origins = {step.origin for step in steps if step.target == target != step.origin and vacant >> step.origin & 1}
    for row in range(t[TABLE.FLANKS], t[TABLE.FLANKS] + TABLE.FLANK_SIZE * t[TABLE.NUM_FLANKS], TABLE.FLANK_SIZE):
        if t[row + TABLE.TARGETS] >> target & 1:
            near, behind = target + t[row + TABLE.NEAR], target + t[row + TABLE.BEHIND]
            if vacant >> near & 1 and own >> behind & 1 and origins - {near}:
                return True
    return False


def _remembered(t: Words, s: Words) -> int:
    """Returns the pieces that remember a step, as a bitboard."""
    if not t[TABLE.REMEMBERS]:
        return 0
    held = 0
    for word in s[STATE.MEMORY : STATE.MEMORY_POINTS]:
        held |= int(word)
    if t[TABLE.REMEMBERS_POINTS]:
        held |= sum(1 << point for point, word in enumerate(s[STATE.MEMORY_POINTS :]) if word)
    return held


def _cleared(t: Words, s: Words) -> int:
    """Returns the pieces whose memory the last leap has cleared, as a bitboard."""
    piece = 1 << int(s[STATE.CHAIN])
    return piece if t[TABLE.UNDO_SCOPE] != TABLE.PER_PLAYER else piece | int(s[STATE.MEN + s[STATE.PLAYER]])


class _Chain:
    """Searches backwards, leap by leap, for a beginning of the chain."""

    def __init__(self, game: Game, s: Words) -> None:
        t, mover = game.table.plain_words, int(s[STATE.PLAYER])
        self.point = int(s[STATE.CHAIN])
        barred = frozenset(points_of(int(s[STATE.BARRED])))
        self.visited = barred if t[TABLE.VISITS_ONCE] else None
        self.start = None if t[TABLE.VISITS_ONCE] else next(iter(barred), None)
        self.removed_later = bool(t[TABLE.REMOVAL_AT_END])
        self.takes_row = bool(t[TABLE.TAKES] == TABLE.TAKES_ROW)
        self.occupied = frozenset(point for word in s[: STATE.PLAYER] for point in points_of(int(word)))
        self.enemies = frozenset(points_of(int(s[STATE.MEN + 1 - mover] | s[STATE.KINGS + 1 - mover])))
        self.ahead = int(s[t[TABLE.AHEAD]]) if t[TABLE.MUST_TURN] else 0
        count = t[TABLE.NUM_ACTIONS] if t[TABLE.MUST_TURN] else 0
        self.beyond = {
            game.table.steps[row][:2]: int(t[t[TABLE.BEYOND] + row])
            for row in range(mover * count, (mover + 1) * count)
        }
        is_king = bool(s[STATE.KINGS + mover] >> self.point & 1)
        self.leaps = [leap for leap in game.table.templates[mover] if leap.victim >= 0 and leap.is_king <= is_king]
        self.tried: set[tuple[object, ...]] = set()

    def led_to(
        self, point: int, victims: frozenset[int], visited: frozenset[int] | None, following: int | None = None
    ) -> bool:
        """Whether a chain led to a point, from where it went on to the point `following`."""
        key = point, victims, visited, following
        if key in self.tried:
            return False
        if len(self.tried) == MOST_TRIED:
            return True
        self.tried.add(key)
        leaps = (leap for leap in self.leaps if leap.target == point and self._turns(leap, following))
        return any(self._was_last(leap, victims, visited) for leap in leaps)

    def _turns(self, leap: Template, following: int | None) -> bool:
        """Whether a chain may go on to the point `following` after a leap, in a game in which chains must turn."""
        beyond = self.beyond.get(leap[:2], 0)
        return beyond == self.ahead if following is None else not beyond >> following & 1

    def _was_last(self, leap: Template, victims: frozenset[int], visited: frozenset[int] | None) -> bool:
        taken = {point for what, point in leap.path if what == SCRATCH.ENEMY}
        been = {self.start} if visited is None else visited
        if not self.removed_later and (taken & (self.occupied - {self.point}) or taken & been):
            return False
        if visited is not None and leap.origin not in visited:
            return False
        vacant = {leap.origin, *(point for what, point in leap.path if what == SCRATCH.EMPTY)}
        if (vacant - {self.point}) & self.occupied:
            return False
        earlier = None if visited is None else visited - {leap.origin}
        return any(
            (leap.first and not left and not earlier and self.start in (None, leap.origin))
            or (leap.next and self.led_to(leap.origin, left, earlier, leap.target))
            for left in self._captured_before(leap, victims)
        )

    def _captured_before(self, leap: Template, victims: frozenset[int]) -> Iterator[frozenset[int]]:
        """The pieces to be removed later, before a leap that may have captured some of them."""
        row = leap.row or (leap.victim,)
        if not self.removed_later:
            yield victims
            return
        for length in range(1 if self.takes_row else len(row), len(row) + 1):
            is_all = length == len(row) or row[length] not in self.enemies - victims
            if is_all and victims.issuperset(row[:length]):
                yield victims.difference(row[:length])


def bounds(t: Table) -> dict[str, tuple[int, int, int]]:
    """For each field of a state, in their order, its first place, and the least and most of each of its words."""
    unlimited = np.iinfo(np.int64).max if t[TABLE.COUNTS_QUIET] else 0
    found = {
        "men": (STATE.MEN, 0, t[TABLE.ALL_POINTS]),
        "kings": (STATE.KINGS, 0, t[TABLE.ALL_POINTS]),
        "player": (STATE.PLAYER, 0, 1),
        "chain": (STATE.CHAIN, STATE.NO_POINT, t[TABLE.POINTS] - 1),
        "quiet": (STATE.QUIET, 0, t[TABLE.NO_PROGRESS_LIMIT] or unlimited),
        "captured": (STATE.CAPTURED, 0, t[TABLE.ALL_POINTS]),
        "barred": (STATE.BARRED, 0, t[TABLE.ALL_POINTS]),
        "memory": (STATE.MEMORY, 0, t[TABLE.ALL_POINTS]),
        "memory_points": (STATE.MEMORY_POINTS, 0, t[TABLE.ALL_POINTS]),
    }
    if stages := t[TABLE.STAGES]:
        found |= {"stage": (t[TABLE.STAGE], 0, stages), "hand": (t[TABLE.HAND], 0, stages)}
    if t[TABLE.NUM_PARTS]:
        found["closed"] = (t[TABLE.CLOSED], 0, t[TABLE.ALL_POINTS])
    if t[TABLE.MUST_TURN]:
        found["ahead"] = t[TABLE.AHEAD], 0, t[TABLE.ALL_POINTS]
    return found


def check_states(game: Game, states: Any, error: type[AlquerqueError] = PositionError) -> np.ndarray:
    """Returns states of the engine, integers `[N, S]` with rows as `Match.state`, as kernels take them.

    These are int64 `[N, S]`, or Python's integers for a wide board.

    Raises:
      AlquerqueError: If these are not integers of this shape, or if a row has a point outside the board, two pieces on
        one point, a man who would have been promoted, a piece on a closed point, or a player, a chain, a clock, a hand
        or closed points that cannot be.
    """
    t = game.table.words
    size = int(t[TABLE.STATE_SIZE])
    is_wide = game.board.is_wide
    known = _integers(states, size, error) if is_wide else check_array("states", states, "int64", ("N", size), error)
    least, most = np.zeros((2, size), known.dtype)
    for place, low, high in bounds(t).values():
        least[place:], most[place:] = low, high
    pieces = known[:, : STATE.PLAYER]
    are_apart = np.bitwise_xor.reduce(pieces, 1) == pieces.sum(1)
    is_sound = are_apart & ((known >= least) & (known <= most)).all(1) & _keeps_schedule(t, known)
    if t[TABLE.NUM_PARTS]:
        closed = known[:, t[TABLE.CLOSED]]
        is_sound &= (closed_whole(t, closed) == closed) & (np.bitwise_or.reduce(pieces, 1) & closed == 0)
    if not is_sound.all():
        raise error(f"row {int(np.argmin(is_sound))} of the states is not a position of {game.name}")
    late = unpromoted_men(t, known.T)
    if np.any(late):
        row = int(np.argmax(late != 0))
        label = game.board.labels[next(points_of(int(late[row])))]
        raise error(f"row {row} of the states has a man on {label}, who would have been promoted there")
    return known


def _integers(states: Any, size: int, error: type[AlquerqueError]) -> np.ndarray:
    """States as Python's integers `[N, S]`, for a board with more points than a word has bits."""
    known = np.array(states, object)
    if known.ndim != 2 or known.shape[1] != size:
        raise error(f"states are {list(known.shape)}, expected integers [N, {size}]")
    known[:] = [[python_number(word) for word in row] for row in known]
    if not all(type(word) is int for word in known.flat):
        raise error(f"states are {list(known.shape)} with something else than integers, expected integers [N, {size}]")
    return known


def _keeps_schedule(t: Words, known: np.ndarray) -> np.ndarray:
    """Whether the player to move and the hands of each state, a row, are those of its ply of the schedule."""
    stages = t[TABLE.STAGES]
    if not stages:
        return np.ones(len(known), bool)
    played = known[:, t[TABLE.STAGE]].clip(0, stages).astype(np.int64)
    plies = np.array([*schedule_plies(t), (0, 0, 0)])[played]
    hands = known[:, t[TABLE.HAND] : t[TABLE.HAND] + 2]
    return ((known[:, STATE.PLAYER] == plies[:, 0]) | (played == stages)) & (hands == plies[:, 1:]).all(1)
