"""Many matches of one game in lock-step without Numba, played in columns (see `columns/`).

What columns leave to the engine, and small batches, it plays match by match. The tests hold it equal to the compiled
form on every game and option.
"""

import numpy as np

from ..engine import rules as e
from ..engine import simd_layout as c
from ..engine.rules_simd import apply, find_legal, observe, outcome
from ..engine.simd_table import ColumnTable, column_table
from ..game.game import Game
from ..game.kernel_arrays import words
from ..game.planes import planes
from .rollout_kernels import by_player
from .step_result import BEGIN, HOLD, NO_WINNER, PLAY, Frame

# Below this many matches a call to NumPy costs more than a step of the engine.
MIN_GAMES = 16

_GOLDEN, _FIRST, _SECOND = (np.uint64(n) for n in (0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB))
_MASK = np.uint64((1 << 63) - 1)


class NumpyLockstep:
    """`num_games` matches of a game; as `lockstep.Lockstep`."""

    def __init__(self, game: Game, num_games: int) -> None:
        self.game = game
        self.table = game.table.words
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))
        start = self.table[self.table[e.T_START] :][: self.table[e.T_STATE_SIZE]]
        table = column_table(game) if num_games >= MIN_GAMES else None
        self._reader = _Reader(game, table, num_games) if table else None
        self._columns = np.zeros((len(start), num_games), table.kind if table else np.int64)
        self.start = np.array(start, self._columns.dtype)
        self.states = self._columns.T
        self.keys = np.zeros((num_games, 64 if self.table[e.T_THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        kinds = self.table[self.table[e.T_PLANES] :][: e.PLANE_SIZE * self.shape[0] : e.PLANE_SIZE]
        self.values = [plane for plane, kind in enumerate(kinds) if kind > e.PLANE_POINT]
        self._mask = np.zeros((num_games, self.num_actions), np.int8)
        self._start: tuple[NumpyLockstep, Frame] | None = None
        self._scratch = words(self.table[e.T_SCRATCH_SIZE])
        self._room = words(self.num_actions)

    def step(self, actions: np.ndarray, orders: np.ndarray) -> Frame:
        """Does in every match what it is ordered to: see `lockstep.Lockstep.step`."""
        movers = self.states[:, e.PLAYER].copy()
        plays = orders == PLAY
        self.states[orders == BEGIN] = self.start
        if self._reader is None:
            mask, result, earlier = self._step_one_by_one(actions, plays)
        else:
            self._reader.play(self._columns, plays, actions)
            earlier = self._earlier()
            mask, result = self._reader.look(self._columns, earlier)
        mask[result != e.ONGOING] = 0
        self._mask = mask
        decided = (result != e.ONGOING) & (result & 3 != e.NOBODY)
        winner = np.where(decided, result & 3, NO_WINNER).astype(np.int8)
        reward = np.where(decided & plays, np.where(winner == movers, 1, -1), 0).astype(np.float32)
        player = self.states[:, e.PLAYER].astype(np.int8)
        return Frame(self._observe(earlier), mask.copy(), player, reward, result.astype(np.int8), winner)

    def begin(self, games: np.ndarray) -> Frame:
        """Begins some matches anew without a look at the others: see `lockstep.Lockstep.begin`."""
        if self._start is None:
            alone = NumpyLockstep(self.game, 1)
            self._start = alone, alone.step(np.zeros(1, np.int64), np.array([BEGIN], np.int8))
        alone, frame = self._start
        self.states[games] = self.start
        self._mask[games] = frame.mask
        self.keys[games, 0] = alone.keys[0, 0]
        return frame

    def look(self) -> Frame:
        """The matches as they are, after their states were set from outside."""
        games = len(self.states)
        return self.step(np.zeros(games, np.int64), np.full(games, HOLD, np.int8))

    def first_illegal(self, actions: np.ndarray, orders: np.ndarray) -> int:
        """The first match that is to play an action which is not legal, or -1."""
        in_range = (actions >= 0) & (actions < self.num_actions)
        wrong = (orders == PLAY) & ~(in_range & self.is_legal(np.where(in_range, actions, 0)))
        return int(wrong.argmax()) if wrong.any() else -1

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """Bool `[B]`, whether each action, in range, is legal in its match."""
        return self._mask[np.arange(len(self.states)), actions].astype(bool)

    def sample(self) -> np.ndarray:
        """int64 `[B]`, a legal action for each match drawn uniformly, 0 where there is none."""
        games, legal = np.divmod(np.flatnonzero(self._mask.reshape(-1).view(bool)), self.num_actions)
        counts = np.bincount(games, minlength=len(self.states))
        drawing = np.flatnonzero(counts)
        state = self.rng.view(np.uint64)[0]
        with np.errstate(over="ignore"):
            draws = _mix((state + _GOLDEN * np.arange(1, len(drawing) + 1, dtype=np.uint64)) & _MASK)
            self.rng[0] = np.int64((state + _GOLDEN * np.uint64(len(drawing))) & _MASK)
        index = ((draws >> np.uint64(31)) * counts[drawing].astype(np.uint64) >> np.uint64(32)).astype(np.int64)
        first = np.cumsum(counts) - counts
        actions = np.zeros(len(self.states), np.int64)
        actions[drawing] = legal[first[drawing] + index]
        return actions

    def _step_one_by_one(self, actions: np.ndarray, plays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        t, w, room = self.table, self._scratch, self._room
        mask = np.zeros_like(self._mask)
        outcome = np.zeros(len(self.states), np.int64)
        for game, row in enumerate(self.states.tolist()):
            if plays[game]:
                e.apply_action(t, row, w, int(actions[game]))
                self.states[game] = row
            legal = e.legal_actions(t, row, w, room)
            mask[game, room[:legal]] = 1
            outcome[game] = legal
        earlier = self._earlier()
        for game, row in enumerate(self.states.tolist()):
            outcome[game] = e.outcome(t, row, int(outcome[game]), int(earlier[game]))
        return mask, outcome, earlier

    def _earlier(self) -> np.ndarray:
        """How often each position occurred before, as `engine.earlier_occurrences`."""
        earlier = np.zeros(len(self.states), np.int64)
        if not self.table[e.T_THREEFOLD]:
            return earlier
        clock = self.states[:, e.QUIET]
        while clock.max() + 1 > self.keys.shape[1]:
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)], axis=1)
        games = np.flatnonzero(self.states[:, e.CHAIN] < 0)
        keys, clock = _position_keys(self.states[games]), clock[games]
        self.keys[games, clock] = keys
        places = np.arange(clock.max(initial=0))
        counts = (places < clock[:, None]) & ((clock[:, None] - places) % 2 == 0)
        earlier[games] = (counts & (self.keys[games, : len(places)] == keys[:, None])).sum(1)
        return earlier

    def _observe(self, earlier: np.ndarray) -> np.ndarray:
        columns = self._columns
        told = np.zeros((self.shape[0], columns.shape[1]), columns.dtype)
        observe(self.table, self.start, columns, earlier, told)
        observation = np.empty((columns.shape[1], *self.shape), np.int8)
        for player, games in by_player(columns):
            observation[games] = self._spread(told[:, games].T, self.table[e.T_TURN + player])
        for plane in self.values:
            observation[:, plane] = told[plane][:, None]
        return observation

    def _spread(self, words: np.ndarray, turn: int) -> np.ndarray:
        """0 or 1 `[n, C, P]` for the points of words `[n, C]`, turned as a player sees them."""
        points = self.shape[1]
        turned = turn == e.HALF_TURN
        parts = words.astype(f"{'>' if turned else '<'}i{words.itemsize}", order="C").view(np.uint8)
        bits = np.unpackbits(parts, axis=1, bitorder="big" if turned else "little").reshape(*words.shape, -1)
        if turned:
            return bits[:, :, -points:]
        return bits[:, :, self.game.turn if turn == e.TURNED else slice(points)]


class _Reader:
    """Plays states in columns `[S, B]`."""

    def __init__(self, game: Game, table: ColumnTable, num_games: int) -> None:
        self.t = game.table.words
        self.table = table
        self.num_actions = game.num_actions
        self.points = len(game.board.points)
        self._scratch = np.zeros((table.num_columns, num_games), table.kind)

    def play(self, columns: np.ndarray, plays: np.ndarray, actions: np.ndarray) -> None:
        """Plays actions in some of the matches, as `engine.apply_action`."""
        for player, matches in by_player(columns):
            games = matches[plays[matches]]
            part = columns[:, games]
            chosen = actions[games].astype(part.dtype)
            apply(self.t, self.table.codes, self.table.maps, player, part, self._scratch[:, : len(games)], chosen)
            columns[:, games] = part

    def look(self, columns: np.ndarray, earlier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is legal and how the matches stand.

        Args:
          columns: The states.
          earlier: int64 `[B]`, how often the positions occurred before.

        Returns:
          int8 `[B, A]`, 1 for legal actions, whether or not the match has ended, and int64 `[B]`, as `engine.outcome`.
        """
        num_games = columns.shape[1]
        mask = np.zeros((num_games, self.num_actions), np.int8)
        result = np.zeros(num_games, np.int64)
        for player, games in by_player(columns):
            part, scratch = columns[:, games], self._scratch[:, : len(games)]
            movable = find_legal(self.t, self.table.codes, self.table.start, player, part, scratch)
            self._mark(player, games, scratch, mask)
            result[games] = outcome(self.t, player, part, movable, earlier[games])
        return mask, result

    def _mark(self, player: int, games: np.ndarray, scratch: np.ndarray, mask: np.ndarray) -> None:
        """Marks the actions of all planes."""
        first, count = self.table.codes[c.C_PLANES], self.table.codes[c.C_NUM_PLANES]
        planes = scratch[first : first + count].reshape(-1)
        some = np.flatnonzero(planes != 0)
        plane, place = np.divmod(some, len(games))
        words = planes[some].astype(f"<i{planes.itemsize}").view(np.uint8).reshape(len(some), planes.itemsize)
        bits = np.unpackbits(words, axis=1, bitorder="little").view(bool)
        word, point = np.divmod(np.flatnonzero(bits), bits.shape[1])
        actions = self.table.maps[self.table.codes[c.C_MAPS + player] + plane[word] * self.points + point]
        mask.reshape(-1)[games[place[word]] * self.num_actions + actions] = 1


def _mix(word: np.ndarray) -> np.ndarray:
    """`engine._mix` on arrays."""
    with np.errstate(over="ignore"):
        word = (word ^ word >> np.uint64(30)) * _FIRST & _MASK
        word = (word ^ word >> np.uint64(27)) * _SECOND & _MASK
    return word ^ word >> np.uint64(31)


def _position_keys(states: np.ndarray) -> np.ndarray:
    """`engine.position_key` on arrays."""
    keys = np.zeros(len(states), np.uint64)
    for place in range(states.shape[1]):
        if place != e.QUIET:
            keys = _mix(keys ^ (states[:, place].astype(np.int64) + 1).view(np.uint64))
    return keys.view(np.int64)
