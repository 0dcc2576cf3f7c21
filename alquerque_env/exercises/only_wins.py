"""Finds positions in which one turn alone wins, and goes on doing so."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..arena.natural_positions import natural_lots
from ..batch.make_batch import make_batch
from ..batch.step_result import PLAY
from ..game import state_layout as STATE
from ..game.outcomes import ONGOING
from ..solve.tables import EndgameTable

LEAST_DISTANCE = 5
"""Plies to the end of a win that is worth finding."""
LEAST_STEPS = 3
"""Legal steps of a first position."""
LEAST_CHOICES = 2
"""Turns in which the player can choose, and one turn alone wins."""

_LONGEST = 400  # steps of a line, far more than any has


@dataclass
class OnlyWins:
    """A won position and the line from it along which one turn alone wins.

    Attributes:
      state: int64 `[S]`, the first position, with a clock of 0.
      distance: Plies to the end under best play.
      actions: The steps of the line, of both sides, whole turns; the first turn and the last one are the player's.
      asked: The states in which the player can choose, with the places of their actions.
      choices: The turns in which the player can choose.
    """

    state: np.ndarray
    distance: int
    actions: list[int] = field(default_factory=list)
    asked: list[tuple[np.ndarray, int]] = field(default_factory=list)
    choices: int = 0


def natural_endings(table: EndgameTable, seed: int) -> Iterator[np.ndarray]:
    """Yields positions of matches, see `natural_states`, that the table has, with a clock of 0."""
    for states in natural_lots(table.game, seed):
        men = states[:, [STATE.MEN, STATE.MEN + 1, STATE.KINGS, STATE.KINGS + 1]]
        few = np.bitwise_count(men).sum(1) <= table.pieces
        kept = states[few & (states[:, STATE.CHAIN] < 0)]
        kept[:, STATE.QUIET] = 0
        yield kept


def find_only_wins(table: EndgameTable, states: np.ndarray) -> list[OnlyWins]:
    """Follows the lines from those states, int64 `[N, S]`, that begin one; the opponent resists as long as possible.

    A line goes on while one turn alone wins, and ends with a turn of the player. Left out are lines with fewer than
    `LEAST_CHOICES` choices, and those of which some value is not known.
    """
    if not len(states):
        return []
    found = table.probe(states)
    kept = found.known & (found.value == 1) & (found.distance >= LEAST_DISTANCE)
    lines = [OnlyWins(s.copy(), int(d)) for s, d in zip(states[kept], found.distance[kept], strict=True)]
    walk = _Walk(table, lines)
    while walk.open:
        walk.advance()
    return [line for line in lines if line.choices >= LEAST_CHOICES]


@dataclass
class _Turn:
    """A turn of the player that has begun: it is part of the line once it has ended."""

    actions: list[int] = field(default_factory=list)
    asked: list[tuple[np.ndarray, int]] = field(default_factory=list)


class _Walk:
    """Many lines, followed step by step at once."""

    def __init__(self, table: EndgameTable, lines: list[OnlyWins]) -> None:
        self.table = table
        self.lines = lines
        self.open = list(range(len(lines)))
        self._states = np.array([line.state for line in lines], np.int64).reshape(len(lines), -1)
        self._solvers = self._states[:, STATE.PLAYER].copy()
        self._begun = [_Turn() for _ in lines]
        self._replies: list[list[int]] = [[] for _ in lines]

    def advance(self) -> None:
        """Plays one step of each open line."""
        rows = np.array(self.open)
        states = self._states[rows]
        mask = make_batch(self.table.game, len(rows)).set(states).mask == 1
        values = self.table.action_values(states)
        is_known = (values.known == mask).all(1)
        wins = values.value == 1
        is_solver = states[:, STATE.PLAYER] == self._solvers[rows]
        is_on = is_known & (~is_solver | (wins.sum(1) == 1))
        is_first = np.array([not self.lines[row].actions and not self._begun[row].actions for row in self.open])
        is_on &= ~is_first | (mask.sum(1) >= LEAST_STEPS)
        actions = np.where(is_solver, wins.argmax(1), 0)
        against = np.flatnonzero(is_on & ~is_solver)
        actions[against] = self._resist(states[against], mask[against], values.distance[against])
        batch = make_batch(self.table.game, len(rows))
        batch.set(states)
        after = batch.step(np.where(is_on, actions, mask.argmax(1)).astype(np.int64), np.full(len(rows), PLAY, np.int8))
        still_open = []
        for place in np.flatnonzero(is_on):
            row = self.open[place]
            self._note(row, states[place], int(actions[place]), bool(is_solver[place]), int(mask[place].sum()))
            is_over = after.outcome[place] != ONGOING
            if is_solver[place] and (is_over or after.player[place] != states[place, STATE.PLAYER]):
                self._end_turn(row)
            if not is_over and len(self.lines[row].actions) < _LONGEST:
                self._states[row] = batch.states[place]
                still_open.append(row)
        self.open = still_open

    def _resist(self, states: np.ndarray, mask: np.ndarray, distance: np.ndarray) -> np.ndarray:
        """The actions that delay the loss longest; among equal ones, one after which one step alone wins, if any."""
        delays = np.where(mask, distance, -2)
        rows, actions = np.nonzero(delays == delays.max(1, initial=-2)[:, None])
        if not len(rows):
            return actions
        batch = make_batch(self.table.game, len(rows))
        batch.set(states[rows])
        after = batch.step(actions.astype(np.int64), np.full(len(rows), PLAY, np.int8))
        rank = np.full(len(rows), 2)
        goes_on = np.flatnonzero(after.outcome == ONGOING)
        passes = goes_on[after.player[goes_on] != states[rows[goes_on], STATE.PLAYER]]
        if len(passes):
            wins = self.table.action_values(np.ascontiguousarray(batch.states[passes], np.int64)).value == 1
            rank[passes] = np.where(wins.sum(1) == 1, 0, 1)
        order = np.lexsort((actions, rank, rows))
        _, first = np.unique(rows[order], return_index=True)
        return actions[order][first]

    def _note(self, row: int, state: np.ndarray, action: int, is_solver: bool, count: int) -> None:
        if not is_solver:
            self._replies[row].append(action)
            return
        begun = self._begun[row]
        if count > 1:
            begun.asked.append((state.copy(), len(self._replies[row]) + len(begun.actions)))
        begun.actions.append(action)

    def _end_turn(self, row: int) -> None:
        """Makes a turn of the player, and the replies before it, part of the line."""
        line, begun, replies = self.lines[row], self._begun[row], self._replies[row]
        line.asked += [(state, len(line.actions) + place) for state, place in begun.asked]
        line.actions += replies + begun.actions
        line.choices += bool(begun.asked)
        self._begun[row], self._replies[row] = _Turn(), []
