"""A batch played match by match."""

from typing import Any, NamedTuple

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import borrowed, clear_bytes, count_lanes, entry_kernel, fill_lanes, find_lane, inlined, nth_bit
from ..engine.kernel_types import Array, Table, Words
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import WORD_BITS, words
from .batch import PLAY, RESET, ArrayBatch, StepResult

BITS = WORD_BITS  # actions to an integer of the legal set
LINE = 64  # bytes that are cleared at once


class ScalarBatch(ArrayBatch):
    """A batch played match by match.

    Attributes:
      legal: int64 `[B, L]`, the legal actions as bits, 63 to an integer; none where the match has ended.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        super().__init__(game, num_games)
        self.states = np.zeros((num_games, self.table[TABLE.STATE_SIZE]), object if game.board.is_wide else np.int64)
        self.legal = np.zeros((num_games, TABLE.LANES * -(-self.num_actions // (BITS * TABLE.LANES))), np.int64)
        self._scratch = words(self.table, self.table[TABLE.SCRATCH_SIZE])
        self._actions = words(self.table, self.num_actions)

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """See `Batch.step`."""
        result = self._empty_result()
        self._step_into(result, actions, commands)
        return result

    def _step_into(self, result: StepResult, actions: np.ndarray, commands: np.ndarray) -> None:
        self._make_room_for_keys()
        batch = BatchArrays(self.states, self.legal, self.keys, self._scratch, self._actions)
        flat = result.observation.reshape(len(actions), -1)
        step_all(self.table, batch, actions, commands, result._replace(observation=flat))

    def _copy_start(self, games: np.ndarray, fresh: "ScalarBatch", result: StepResult) -> None:  # noqa: ARG002
        self.states[games], self.legal[games] = fresh.states, fresh.legal

    def first_illegal(self, actions: np.ndarray, commands: np.ndarray) -> int:
        """See `Batch.first_illegal`."""
        return int(find_illegal(self.legal, self.num_actions, actions, commands))

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """See `Batch.is_legal`."""
        games = np.arange(len(self.states))
        return (self.legal[games, actions // BITS] >> actions % BITS & 1).astype(bool)

    def sample(self) -> np.ndarray:
        """See `Batch.sample`."""
        actions = np.empty(len(self.states), np.int64)
        sample_all(self.legal, self.rng, actions)
        return actions


class BatchArrays(NamedTuple):
    """The arrays of a batch: its attributes of the same names, scratch space and room for actions."""

    states: Array
    legal: Array
    keys: Array
    scratch: Any
    room: Any


@entry_kernel
def step_all(t: Any, batch: BatchArrays, actions: Array, commands: Array, result: StepResult) -> None:
    """Advances every match, see `Batch.step`. Rows of observations are flattened."""
    count = len(actions)
    p_table, p, r = borrowed(t), borrowed(batch), borrowed(result)
    p_actions, p_commands = borrowed(actions), borrowed(commands)
    for game in range(count):
        s = p.states[game]
        mover = s[STATE.PLAYER]
        command = p_commands[game]
        if command == PLAY:
            rules.apply_action(p_table, s, p.scratch, p_actions[game])
        elif command == RESET:
            rules.begin(p_table, s)
        outcome = _write_result(p_table, s, p, game, r.observation[game], r.mask[game])
        r.player[game] = s[STATE.PLAYER]
        r.outcome[game] = outcome
        r.winner[game] = rules.winner_of(outcome)
        r.reward[game] = rules.reward_of(outcome, mover) if command == PLAY else 0


@inlined
def _write_result(t: Table, s: Words, batch: BatchArrays, game: int, observation: Words, mask: Words) -> int:
    """Writes the mask and the observation of one match; returns its outcome."""
    room, legal = batch.room, batch.legal[game]
    n, result, earlier = rules.legal_and_outcome(t, s, batch.scratch, room, batch.keys[game])
    if t[TABLE.NUM_ACTIONS] >= LINE:
        clear_bytes(mask, t[TABLE.NUM_ACTIONS])
    else:
        for action in range(t[TABLE.NUM_ACTIONS]):
            mask[action] = 0
    for group in range(0, t[TABLE.NUM_ACTIONS], BITS * TABLE.LANES):
        fill_lanes(legal, group // BITS, 0)
    for index in range(n):
        action = room[index]
        mask[action] = 1
        legal[action // BITS] |= 1 << action % BITS
    rules.observe(t, s, earlier, observation, 0)
    return result


@entry_kernel
def find_illegal(legal: Array, num_actions: int, actions: Array, commands: Array) -> int:
    """The first match whose command is PLAY with an illegal action, or -1."""
    p_legal, p_actions, p_commands = borrowed(legal), borrowed(actions), borrowed(commands)
    for game in range(len(legal)):
        action = p_actions[game]
        if p_commands[game] == PLAY:
            if action < 0 or action >= num_actions:
                return game
            if p_legal[game][action // BITS] >> action % BITS & 1 == 0:
                return game
    return -1


@entry_kernel
def sample_all(legal: Array, rng: Array, actions: Array) -> None:
    """Draws a legal action for each match."""
    p_legal, p_rng, p_actions = borrowed(legal), borrowed(rng), borrowed(actions)
    for game in range(len(legal)):
        bits = p_legal[game]
        total = 0
        for group in range(0, legal.shape[1], TABLE.LANES):
            total += count_lanes(bits, group)
        p_actions[game] = _pick_bit(bits, rules.random_below(p_rng, total)) if total else 0


@inlined
def _pick_bit(bits: Words, index: int) -> int:
    """The action of the one bit at an index, counted over all integers of a legal set."""
    group = 0
    count = count_lanes(bits, group)
    while index >= count:
        index -= count
        group += TABLE.LANES
        count = count_lanes(bits, group)
    found = find_lane(bits, group, index)
    word, index = group + (found >> 32), found & 0xFFFFFFFF
    return word * BITS + nth_bit(bits[word], index)
