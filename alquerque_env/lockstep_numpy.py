"""Many matches in lock-step without Numba: a second reader of the step table, in NumPy.

It does for a whole array of states what `engine.py` does for one, block by block. Rules that compare captures with each
other, memory kept point by point, and small batches are left to the engine itself, match by match. The tests hold it
equal to the engine on every game and option.
"""

from typing import Any

import numpy as np

from . import engine as e
from .frames import BEGIN, HOLD, NO_WINNER, PLAY, Frame
from .game import Game
from .observation import planes
from .ruleset import NORTH, SOUTH
from .storage import words
from .table import Block

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
        self.start = np.array(start, np.int64)
        self.states = np.zeros((num_games, len(start)), np.int64)
        self.keys = np.zeros((num_games, 64 if self.table[e.T_THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        rows = self.table[self.table[e.T_PLANES] :][: e.PLANE_SIZE * self.shape[0]]
        self.planes = [rows[place : place + e.PLANE_SIZE] for place in range(0, len(rows), e.PLANE_SIZE)]
        self._mask = np.zeros((num_games, self.num_actions), np.int8)
        self._start: tuple[NumpyLockstep, Frame] | None = None
        self._scratch = words(self.table[e.T_SCRATCH_SIZE])
        self._room = words(self.num_actions)
        compares = self.table[e.T_COMPARES] or self.table[e.T_REMEMBERS_POINTS]
        self._reader = _Reader(game) if num_games >= MIN_GAMES and not compares else None

    def step(self, actions: np.ndarray, orders: np.ndarray) -> Frame:
        """Does in every match what it is ordered to: see `lockstep.Lockstep.step`."""
        movers = self.states[:, e.PLAYER].copy()
        plays = orders == PLAY
        self.states[orders == BEGIN] = self.start
        if self._reader is None:
            mask, outcome, earlier = self._step_one_by_one(actions, plays)
        else:
            self._reader.apply(self.states, np.flatnonzero(plays), actions)
            mask = self._reader.legal(self.states)
            earlier = self._earlier()
            outcome = self._reader.outcome(self.states, mask, earlier)
        mask[outcome != e.ONGOING] = 0
        self._mask = mask
        decided = (outcome != e.ONGOING) & (outcome & 3 != e.NOBODY)
        winner = np.where(decided, outcome & 3, NO_WINNER).astype(np.int8)
        reward = np.where(decided & plays, np.where(winner == movers, 1, -1), 0).astype(np.float32)
        player = self.states[:, e.PLAYER].astype(np.int8)
        return Frame(self._observe(earlier), mask.copy(), player, reward, outcome.astype(np.int8), winner)

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
        games = len(self.states)
        players = self.states[:, e.PLAYER]
        words = np.zeros((games, self.shape[0]), np.int64)
        values = np.zeros((games, self.shape[0]), np.int8)
        chain = self.states[:, e.CHAIN]
        for plane, (kind, *sources) in enumerate(self.planes):
            if kind == e.PLANE_WORD:
                words[:, plane] = np.where(players == SOUTH, self.states[:, sources[0]], self.states[:, sources[1]])
            elif kind == e.PLANE_POINT:
                words[:, plane] = np.where(chain >= 0, np.int64(1) << np.maximum(chain, 0), 0)
            elif kind == e.PLANE_CLOCK:
                values[:, plane] = self.states[:, e.QUIET] // sources[0] % e.CLOCK_DIGIT
            elif kind == e.PLANE_OPENING:
                values[_find_starts(self.table, self.start, self.states), plane] = 1
            else:
                values[:, plane] = earlier if kind == e.PLANE_EARLIER else players
        return self._spread(words, players) + values[:, :, None]

    def _spread(self, words: np.ndarray, players: np.ndarray) -> np.ndarray:
        """int8 `[B, C, P]`, the points of words `[B, C]` in the frame of the players to move."""
        points = self.shape[1]
        bits = np.unpackbits(words.astype("<i8").view(np.uint8), axis=1, bitorder="little")
        observation = bits.reshape(*words.shape, -1)[:, :, :points].view(np.int8)
        turned = players == NORTH
        observation[turned] = observation[turned][:, :, np.array(self.game.turn)]
        return observation


class _Reader:
    """Reads the table for arrays of states `[n, S]`."""

    def __init__(self, game: Game) -> None:
        self.t = game.table.words
        self.table = game.table
        self.points = len(game.board.points)
        step_rows = np.array(game.table.steps, np.int64).reshape(2, game.num_actions, e.STEP_SIZE)
        self.origin, self.target, self.over, self.undo = (step_rows[:, :, column] for column in range(4))
        self.sections = [game.table.sections[e.SECTIONS * player :][: e.SECTIONS] for player in (SOUTH, NORTH)]
        # Half as wide is twice as fast.
        self.kind: Any = np.int32 if self.points < np.iinfo(np.int32).bits - 1 else np.int64
        distances = [np.array(block.distances, self.kind) for block in self.table.blocks]
        self.shifts = [(np.maximum(distance, 0), np.maximum(np.negative(distance), 0)) for distance in distances]
        self.origins = [np.array(block.origins, self.kind) for block in self.table.blocks]
        self.start = np.array(self.t[self.t[e.T_START] :][: self.t[e.T_STATE_SIZE]], np.int64)
        self.opening = self._opening_mask(game.num_actions) if self.t[e.T_HAS_OPENING] else None

    def _opening_mask(self, num_actions: int) -> np.ndarray:
        room = words(num_actions)
        count = e.legal_actions(self.t, self.start.tolist(), words(self.t[e.T_SCRATCH_SIZE]), room)
        mask = np.zeros(num_actions, np.int8)
        mask[room[:count]] = 1
        return mask

    def legal(self, states: np.ndarray) -> np.ndarray:
        """int8 `[n, A]`, 1 for legal actions, whether or not the match has ended."""
        mask = np.zeros((len(states), self.origin.shape[1]), np.int8)
        for player in (SOUTH, NORTH):
            games = np.flatnonzero(states[:, e.PLAYER] == player)
            if len(games):
                mask[games] = self._legal_of(player, states[games])
        if self.opening is not None:
            mask[_find_starts(self.t, self.start, states)] = self.opening
        return mask

    def _legal_of(self, player: int, states: np.ndarray) -> np.ndarray:
        mask = np.zeros((len(states), self.origin.shape[1]), np.int8)
        in_chain = states[:, e.CHAIN] >= 0
        captures = self._captures(player, states, in_chain, mask)
        steps = np.flatnonzero(~in_chain & (~captures | bool(self.t[e.T_CAPTURE_OPTIONAL])))
        self._run(self.sections[player][e.STEP], states[steps], steps, mask)
        if self.t[e.T_PASS_ACTION] >= 0:
            stuck = ~in_chain & ~mask.any(1) if self.t[e.T_NO_MOVES] == e.PASS else False
            mask[:, self.t[e.T_PASS_ACTION]] = in_chain & (self.t[e.T_CHAIN] == e.OPTIONAL) | stuck
        return mask

    def _captures(self, player: int, states: np.ndarray, in_chain: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        """Bool `[n]`, whether there is a capture; marks them in `mask`."""
        found = np.zeros(len(states), bool)
        for section, chosen in ((e.FIRST_LEAP, ~in_chain), (e.NEXT_LEAP, in_chain)):
            games = np.flatnonzero(chosen)
            if len(games):
                found[games] = self._run(self.sections[player][section], states[games], games, mask)
        return found

    def _run(self, section: Any, states: np.ndarray, games: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        """Lets the blocks of a section work on states; marks their actions in `mask[games]`; tells who has any."""
        found = np.zeros(len(states), bool)
        if len(states) == 0:
            return found
        view = self._view(states)
        self._run_blocks(section.begin, section.kings, view, games, mask, found, np.arange(len(states)))
        crowned = np.flatnonzero(view[e.OWN_KINGS][:, 0])
        if len(crowned) and section.kings < section.end:
            view = {word: lanes[crowned] for word, lanes in view.items()}
            self._run_blocks(section.kings, section.end, view, games[crowned], mask, found, crowned)
        return found

    def _view(self, states: np.ndarray) -> dict[int, np.ndarray]:
        """What blocks look at, as `blocks.look` and `look_back`: lanes `[n, 1]` or `[n, LANES]` by scratch word."""
        player = states[0, e.PLAYER]
        men, kings = states[:, e.MEN + player], states[:, e.KINGS + player]
        enemy = states[:, e.MEN + 1 - player] | states[:, e.KINGS + 1 - player]
        vacant = self.t[e.T_ALL_POINTS] & ~(men | kings | enemy | states[:, e.BARRED])
        chain = states[:, e.CHAIN]
        movable = np.where(chain >= 0, np.int64(1) << np.maximum(chain, 0), self.t[e.T_ALL_POINTS])
        seen = {
            e.OWN_MEN: men & movable,
            e.OWN_KINGS: kings & movable,
            e.EMPTY: vacant,
            e.ENEMY: enemy & ~states[:, e.CAPTURED],
        }
        view = {word: points.astype(self.kind)[:, None] for word, points in seen.items()}
        if self.t[e.T_REMEMBERS]:
            view[e.ALLOWED] = ~states[:, e.MEMORY : e.MEMORY + e.LANES].astype(self.kind)
        return view

    def _run_blocks(
        self,
        index: int,
        end: int,
        view: dict[int, np.ndarray],
        games: np.ndarray,
        mask: np.ndarray | None,
        found: np.ndarray,
        places: np.ndarray,
    ) -> None:
        """Runs blocks on `view`; their actions go to `mask[games]`, whether there are any to `found[places]`."""
        while index < end:
            block = self.table.blocks[index]
            right, left = self.shifts[index]
            seen = (view[block.sees] >> right) << left
            origins = view[block.parents] & self.origins[index] & seen
            rows = np.flatnonzero(origins.any(1))
            if block.actions >= 0:
                found[places[rows]] = True
                if mask is not None:
                    self._mark(block, origins, games, mask)
            if block.skip > index + 1 and len(rows):
                kept = {word: view[word][rows] for word in (e.EMPTY, e.ENEMY)}
                kept[block.words] = origins[rows]
                self._run_blocks(index + 1, block.skip, kept, games[rows], mask, found, places[rows])
            index = block.skip

    def _mark(self, block: Block, left: np.ndarray, games: np.ndarray, mask: np.ndarray) -> None:
        """Marks the actions of the origins that are left."""
        flat = np.flatnonzero(left.reshape(-1) != 0)
        some, lanes = np.divmod(flat, e.LANES)
        origins = left.reshape(-1)[flat]
        numbers = np.array(self.table.action_at[block.actions :][: e.LANES * self.points], np.int64)
        while len(some):
            lowest = origins & -origins
            point = np.frexp(lowest.astype(np.float64))[1] - 1
            mask[games[some], numbers[lanes * self.points + point]] = 1
            origins ^= lowest
            more = origins != 0
            some, lanes, origins = some[more], lanes[more], origins[more]

    def apply(self, states: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        """Plays actions in some of the matches, as `engine.apply_action`."""
        if len(games) == 0:
            return
        rows, chosen = states[games], actions[games]
        ends = np.ones(len(rows), bool)
        quiet = rows[:, e.QUIET] + 1
        passes = chosen == self.t[e.T_PASS_ACTION]
        quiet[passes & (rows[:, e.CHAIN] >= 0)] = 0
        over = np.where(passes, e.NO_POINT, self.over[rows[:, e.PLAYER], chosen])
        steps = np.flatnonzero(~passes & (over < 0))
        leaps = np.flatnonzero(over >= 0)
        quiet[steps] = self._step(rows, steps, chosen[steps], quiet[steps])
        quiet[leaps] = 0
        ends[leaps] = self._leap(rows, leaps, chosen[leaps])
        self._end_turns(rows, np.flatnonzero(ends), quiet)
        rows[~ends, e.QUIET] = 0
        states[games] = rows

    def _move(self, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Moves the pieces; returns the words of origins and targets."""
        player = rows[games, e.PLAYER]
        origin = np.int64(1) << self.origin[player, actions]
        target = np.int64(1) << self.target[player, actions]
        is_man = rows[games, e.MEN + player] & origin != 0
        rows[games, np.where(is_man, e.MEN, e.KINGS) + player] ^= origin | target
        return origin, target

    def _step(self, rows: np.ndarray, games: np.ndarray, actions: np.ndarray, quiet: np.ndarray) -> np.ndarray:
        origin, target = self._move(rows, games, actions)
        player = rows[games, e.PLAYER]
        if self.t[e.T_REMEMBERS]:
            self._forget(rows, games, self._forgotten(rows, games, origin))
            undo = self.undo[player, actions]
            back = np.flatnonzero(undo >= 0)
            rows[games[back], e.MEMORY + undo[back]] |= target[back]
        promoted = self._promote(rows, games, target)
        return np.where(promoted & bool(self.t[e.T_PROMOTION_IS_PROGRESS]), 0, quiet)

    def _leap(self, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Captures; tells where the turn ends."""
        origin, target = self._move(rows, games, actions)
        player = rows[games, e.PLAYER]
        victim = np.int64(1) << self.over[player, actions]
        if self.t[e.T_REMOVAL_AT_END]:
            rows[games, e.CAPTURED] |= victim
        else:
            self._remove(rows, games, victim)
        if self.t[e.T_REMEMBERS]:
            self._forget(rows, games, self._forgotten(rows, games, origin))
        ends = np.full(len(games), bool(self.t[e.T_CHAIN] == e.SINGLE))
        if self.t[e.T_MIDCHAIN_PROMOTION] != e.IF_TURN_ENDS_THERE:
            promoted = self._promote(rows, games, target)
            ends |= promoted & bool(self.t[e.T_MIDCHAIN_PROMOTION] == e.PROMOTE_AND_STOP)
        if not self.t[e.T_MAY_RETURN_TO_START]:
            begins = np.flatnonzero(rows[games, e.CHAIN] < 0)
            rows[games[begins], e.BARRED] = origin[begins]
        rows[games, e.CHAIN] = self.target[player, actions]
        for side in (SOUTH, NORTH):
            asked = np.flatnonzero(~ends & (player == side))
            if len(asked):
                in_chain = np.ones(len(asked), bool)
                ends[asked] = ~self._captures(side, rows[games[asked]], in_chain, None)
        return ends

    def _end_turns(self, rows: np.ndarray, games: np.ndarray, quiet: np.ndarray) -> None:
        chain = rows[games, e.CHAIN]
        chained = games[chain >= 0]
        self._promote(rows, chained, np.int64(1) << rows[chained, e.CHAIN])
        if self.t[e.T_REMOVAL_AT_END]:
            self._remove(rows, chained, rows[chained, e.CAPTURED])
            rows[chained, e.CAPTURED] = 0
        rows[games, e.CHAIN] = e.NO_POINT
        rows[games, e.BARRED] = 0
        rows[games, e.QUIET] = quiet[games] if self.t[e.T_COUNTS_QUIET] else 0
        rows[games, e.PLAYER] ^= 1

    def _promote(self, rows: np.ndarray, games: np.ndarray, bits: np.ndarray) -> np.ndarray:
        player = rows[games, e.PLAYER]
        zone = np.array(self.t[e.T_PROMOTION : e.T_PROMOTION + 2], np.int64)[player]
        landed = rows[games, e.MEN + player] & bits & zone
        rows[games, e.MEN + player] ^= landed
        rows[games, e.KINGS + player] |= landed
        return landed != 0

    def _remove(self, rows: np.ndarray, games: np.ndarray, bits: np.ndarray) -> None:
        enemy = 1 - rows[games, e.PLAYER]
        rows[games, e.MEN + enemy] &= ~bits
        rows[games, e.KINGS + enemy] &= ~bits
        if self.t[e.T_REMEMBERS]:
            self._forget(rows, games, bits)

    def _forgotten(self, rows: np.ndarray, games: np.ndarray, origin: np.ndarray) -> np.ndarray:
        if self.t[e.T_UNDO_SCOPE] != e.PER_PLAYER:
            return origin
        return origin | rows[games, e.MEN + rows[games, e.PLAYER]]

    def _forget(self, rows: np.ndarray, games: np.ndarray, bits: np.ndarray) -> None:
        for relation in range(self.t[e.T_RELATIONS]):
            rows[games, e.MEMORY + relation] &= ~bits

    def outcome(self, states: np.ndarray, mask: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """int64 `[n]`, as `engine.outcome`."""
        t, player = self.t, states[:, e.PLAYER]
        pieces = [states[:, e.MEN + side] | states[:, e.KINGS + side] for side in (SOUTH, NORTH)]
        lead = np.sign(_count(pieces[SOUTH]) - _count(pieces[NORTH]))
        more = np.where(lead == 0, e.NOBODY, np.where(lead > 0, SOUTH, NORTH))
        result = np.zeros(len(states), np.int64)
        if t[e.T_NO_PROGRESS_LIMIT]:
            late = states[:, e.QUIET] >= t[e.T_NO_PROGRESS_LIMIT]
            by_count = t[e.T_NO_PROGRESS_MAJORITY]
            result[late] = 4 * e.NO_PROGRESS + e.NOBODY
            result[late & bool(by_count)] = (4 * e.BY_MAJORITY + more)[late & bool(by_count)]
        if t[e.T_THREEFOLD]:
            result[earlier + 1 >= e.OCCURRENCES_TO_DRAW] = 4 * e.REPETITION + e.NOBODY
        stuck = {e.LOSS: 1 - player, e.DRAW: np.full_like(player, e.NOBODY)}.get(t[e.T_NO_MOVES], more)
        result = np.where(mask.any(1), result, 4 * e.BLOCKED + stuck)
        own, enemy = np.where(player == SOUTH, pieces, pieces[::-1])
        result = np.where(enemy == 0, 4 * e.CAPTURED_ALL + player, result)
        result = np.where(own == 0, 4 * e.CAPTURED_ALL + 1 - player, result)
        return np.where(states[:, e.CHAIN] >= 0, e.ONGOING, result)


def _find_starts(t: Any, start: np.ndarray, states: np.ndarray) -> np.ndarray:
    """int64 `[k]`, the states that are the start of the game, as `engine.is_start`."""
    candidates = np.flatnonzero(states[:, e.MEN] == start[e.MEN])
    same = states[candidates] == start
    same[:, e.QUIET] |= not t[e.T_NO_PROGRESS_LIMIT]
    return candidates[same.all(1)]


def _count(pieces: np.ndarray) -> np.ndarray:
    bytes_of = np.ascontiguousarray(pieces).view(np.uint8).reshape(len(pieces), -1)
    return np.unpackbits(bytes_of, axis=1).sum(1, dtype=np.int64)


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
            keys = _mix(keys ^ (states[:, place] + 1).view(np.uint64))
    return keys.view(np.int64)
