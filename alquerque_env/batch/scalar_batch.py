"""Many matches of one game in lock-step: one call plays an action in each and writes masks and observations.

Compiled, match by match, under all rules. `lockstep_columns.py` plays what it can many times as fast in vectors, and
`lockstep_numpy.py` plays without Numba.
"""

import numpy as np

from ..engine import rules as e
from ..engine.compiler import (
    borrowed,
    clear_bytes,
    count_lanes,
    fill_lanes,
    find_lane,
    inlined,
    kernel,
    nth_bit,
)
from ..game.game import Game
from ..game.kernel_arrays import words
from ..game.planes import planes
from .step_result import BEGIN, HOLD, NO_WINNER, PLAY, Frame

BITS = 64  # actions to a word of the legal set
LINE = 64  # bytes that are cleared at once


class Lockstep:
    """`num_games` matches of a game.

    Attributes:
      states: int64 `[B, S]`, the engine's states.
      legal: int64 `[B, L]`, the legal actions as bits, 64 to a word; none where the match has ended.
      keys: int64 `[B, K]`, hashes of the positions since the last progress, where the game looks at repetition.
      rng: int64 `[1]`, state of the action sampler.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        self.game = game
        self.table = game.table.words
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))
        self.states = np.zeros((num_games, self.table[e.T_STATE_SIZE]), np.int64)
        self.legal = np.zeros((num_games, e.LANES * -(-self.num_actions // (BITS * e.LANES))), np.int64)
        self.keys = np.zeros((num_games, 64 if self.table[e.T_THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        self._start: tuple[Lockstep, Frame] | None = None
        self._scratch = words(self.table[e.T_SCRATCH_SIZE])
        self._actions = words(self.num_actions)

    def step(self, actions: np.ndarray, orders: np.ndarray) -> Frame:
        """Does in every match what it is ordered to.

        Args:
          actions: int64 `[B]`, legal where the order is to play.
          orders: int8 `[B]`: PLAY the action, HOLD the match as it is, or BEGIN it anew.
        """
        games = len(self.states)
        frame = Frame(
            np.empty((games, *self.shape), np.int8),
            np.empty((games, self.num_actions), np.int8),
            np.empty(games, np.int8),
            np.empty(games, np.float32),
            np.empty(games, np.int8),
            np.empty(games, np.int8),
        )
        self._step_into(frame, actions, orders)
        return frame

    def _step_into(self, frame: Frame, actions: np.ndarray, orders: np.ndarray) -> None:
        self._make_room_for_keys()
        step_all(self.table, self.states, self.legal, self.keys, self._scratch, self._actions, actions, orders, *frame)

    def begin(self, games: np.ndarray) -> Frame:
        """Begins some matches anew without a look at the others.

        Args:
          games: int64 `[K]`, which.

        Returns:
          What all of them tell now, as one match.
        """
        if self._start is None:
            alone = Lockstep(self.game, 1)
            self._start = alone, alone.step(np.zeros(1, np.int64), np.array([BEGIN], np.int8))
        alone, frame = self._start
        self.states[games], self.legal[games] = alone.states, alone.legal
        self.keys[games, 0] = alone.keys[0, 0]
        return frame

    def look(self) -> Frame:
        """The matches as they are, after their states were set from outside."""
        games = len(self.states)
        return self.step(np.zeros(games, np.int64), np.full(games, HOLD, np.int8))

    def first_illegal(self, actions: np.ndarray, orders: np.ndarray) -> int:
        """The first match that is to play an action which is not legal, or -1."""
        return int(find_illegal(self.legal, self.num_actions, actions, orders))

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """Bool `[B]`, whether each action, in range, is legal in its match."""
        games = np.arange(len(self.states))
        return (self.legal[games, actions // BITS] >> actions % BITS & 1).astype(bool)

    def sample(self) -> np.ndarray:
        """int64 `[B]`, a legal action for each match drawn uniformly, 0 where there is none."""
        actions = np.empty(len(self.states), np.int64)
        sample_all(self.legal, self.rng, actions)
        return actions

    def _make_room_for_keys(self) -> None:
        """A match without a limit may go on without progress for longer than there is room."""
        if self.table[e.T_THREEFOLD] and self.states[:, e.QUIET].max() + 2 > self.keys.shape[1]:
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)], axis=1)


@kernel
def step_all(t, states, legal, keys, w, room, actions, orders, observation, mask, player, reward, outcome, winner):
    """Does in every match what it is ordered to: see `Lockstep.step`."""
    count = len(states)
    p_table, p_states, p_legal, p_keys = borrowed(t), borrowed(states), borrowed(legal), borrowed(keys)
    p_w, p_room, p_actions, p_orders = borrowed(w), borrowed(room), borrowed(actions), borrowed(orders)
    p_observation, p_mask = borrowed(observation.reshape(count, -1)), borrowed(mask)
    p_player, p_reward, p_outcome, p_winner = borrowed(player), borrowed(reward), borrowed(outcome), borrowed(winner)
    for game in range(count):
        s = p_states[game]
        mover = s[e.PLAYER]
        order = p_orders[game]
        if order == PLAY:
            e.apply_action(p_table, s, p_w, p_actions[game])
        elif order == BEGIN:
            for index in range(p_table[e.T_STATE_SIZE]):
                s[index] = p_table[p_table[e.T_START] + index]
        result = _show(p_table, s, p_legal[game], p_keys[game], p_w, p_room, p_observation[game], p_mask[game])
        p_player[game] = s[e.PLAYER]
        p_outcome[game] = result
        decided = result != e.ONGOING and result & 3 != e.NOBODY
        p_winner[game] = result & 3 if decided else NO_WINNER
        if decided and order == PLAY:
            p_reward[game] = 1 if result & 3 == mover else -1
        else:
            p_reward[game] = 0


@inlined
def _show(t, s, legal, keys, w, room, observation, mask):
    """Writes mask and observation of one match; returns its outcome."""
    n = e.legal_actions(t, s, w, room)
    earlier = e.earlier_occurrences(t, s, keys) if t[e.T_THREEFOLD] and s[e.CHAIN] < 0 else 0
    result = e.outcome(t, s, n, earlier)
    if t[e.T_NUM_ACTIONS] >= LINE:
        clear_bytes(mask, t[e.T_NUM_ACTIONS])
    else:
        for action in range(t[e.T_NUM_ACTIONS]):
            mask[action] = 0
    for group in range(0, t[e.T_NUM_ACTIONS], BITS * e.LANES):
        fill_lanes(legal, group // BITS, 0)
    if result == e.ONGOING:
        for index in range(n):
            action = room[index]
            mask[action] = 1
            legal[action // BITS] |= 1 << action % BITS
    e.observe(t, s, earlier, observation, 0)
    return result


@kernel
def find_illegal(legal, num_actions, actions, orders):
    """The first match that is to play an action which is not legal, or -1."""
    p_legal, p_actions, p_orders = borrowed(legal), borrowed(actions), borrowed(orders)
    for game in range(len(legal)):
        action = p_actions[game]
        if p_orders[game] == PLAY:
            if action < 0 or action >= num_actions:
                return game
            if p_legal[game][action // BITS] >> action % BITS & 1 == 0:
                return game
    return -1


@kernel
def sample_all(legal, rng, actions):
    """Draws a legal action for each match."""
    p_legal, p_rng, p_actions = borrowed(legal), borrowed(rng), borrowed(actions)
    for game in range(len(legal)):
        bits = p_legal[game]
        total = 0
        for group in range(0, legal.shape[1], e.LANES):
            total += count_lanes(bits, group)
        p_actions[game] = _pick_bit(bits, e.random_below(p_rng, total)) if total else 0


@inlined
def _pick_bit(bits, index):
    group = 0
    count = count_lanes(bits, group)
    while index >= count:
        index -= count
        group += e.LANES
        count = count_lanes(bits, group)
    found = find_lane(bits, group, index)
    word, index = group + (found >> 32), found & 0xFFFFFFFF
    return word * BITS + nth_bit(bits[word], index)
