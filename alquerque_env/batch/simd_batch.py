"""A batch played by compiled SIMD kernels, one match a lane."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine import rules as rules_text, simd_layout as SIMD
from ..engine.binding import bind
from ..engine.compiler import borrowed, entry_kernel, inlined, spread_word
from ..engine.kernel_types import Array, Table, Vector, Vectors, Words
from ..engine.rules_scalar import earlier_occurrences
from ..engine.rules_simd import (
    VectorScratch,
    apply_action,
    legal_actions,
    observe,
    outcome,
    reset,
    reward_of,
    winner_of,
)
from ..engine.simd_table import SimdArrays, SimdTable
from ..engine.words import simd_words
from ..engine.words.simd_words import any_of, reverse_bits, shifted, vectors_of, where
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import aligned, words
from ..game.outcomes import ONGOING
from ..game.ruleset import NORTH, SOUTH
from .scalar_batch import ScalarBatch
from .step_result import PLAY, RESET, StepResult

# Vectors for the arguments and results of a step.
ACTION, COMMAND, REWARD, OUTCOME, WINNER, EARLIER, FIELDS = range(7)

in_frame: Callable[[Table, int, Vector], Vector] = bind(rules_text.in_frame, globals(), simd_words)


class SimdBatch(ScalarBatch):
    """A batch under rules that the SIMD kernels cover.

    Attributes:
      states: `[B, S]`, a view of the vectors. Other attributes are those of `ScalarBatch`.
    """

    def __init__(self, game: Game, table: SimdTable, num_games: int) -> None:
        super().__init__(game, num_games)
        size, lanes = len(table.start), table.lanes
        self._simd = table
        # A row of vectors for each integer of the state. Their number is odd: rows at a distance of a power of two
        # share lines of the processor's cache. The lanes after the last match are not used.
        self._vectors = aligned((size, (-(-num_games // lanes) | 1) * lanes), table.kind)
        self.states = self._vectors[:, :num_games].T
        rows = size, table.num_vectors, FIELDS, self.shape[0]
        state, scratch, fields, shown = (aligned((count, lanes), table.kind) for count in rows)
        self._room = Room(state, scratch, fields, shown, words(size))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.states = self._vectors[:, : len(self.legal)].T  # a copy is no view

    def _make_one(self) -> "SimdBatch":
        return SimdBatch(self.game, self._simd, 1)

    def _step_into(self, result: StepResult, actions: np.ndarray, commands: np.ndarray) -> None:
        self._make_room_for_keys()
        flat = result._replace(observation=result.observation.reshape(-1), mask=result.mask.reshape(-1))
        batch = SimdBatchArrays(self._vectors, self.legal.view(np.int32), self.keys, self._room)
        step_vectors(self.table, self._simd.arrays, batch, actions, commands, flat)


class Room(NamedTuple):
    """Vectors `[rows, lanes]` that a step overwrites, and the integers `[S]` of one state."""

    state: Array
    scratch: Array
    fields: Array
    planes: Array
    words: Array


class SimdBatchArrays(NamedTuple):
    """The arrays of a batch.

    Attributes:
      vectors: `[S, vectors * lanes]`, the states.
      legal: `[B, L]`, the legal actions as bits, BITS to an integer.
      keys: `[B, K]`, see `Batch.keys`.
      room: What a step overwrites.
    """

    vectors: Array
    legal: Array
    keys: Array
    room: Room


@entry_kernel
def step_vectors(
    t: Any, table: SimdArrays, batch: SimdBatchArrays, actions: Array, commands: Array, result: StepResult
) -> None:
    """Advances every match, see `Batch.step`. Observations and masks are flat."""
    vectors, room = batch.vectors, batch.room
    p_t, p, r, p_room = borrowed(t), borrowed(table), borrowed(result), borrowed(room)
    c, p_actions, p_commands, p_legal = p.codes, borrowed(actions), borrowed(commands), borrowed(batch.legal)
    p_keys = borrowed(batch.keys)
    before, s, w = vectors_of(vectors), vectors_of(room.state), vectors_of(room.scratch)
    x, shown = vectors_of(room.fields), vectors_of(room.planes)
    action_bits = borrowed(room.scratch[table.codes[SIMD.MASK_BITS] :])
    num_actions, observed = len(result.mask) // len(actions), len(result.observation) // len(actions)
    lanes = room.state.shape[1]
    row = vectors.shape[1] // lanes
    for vector in range((len(actions) + lanes - 1) // lanes):
        first = vector * lanes
        count = min(lanes, len(actions) - first)
        for lane in range(count):
            p_room.fields[ACTION][lane] = p_actions[first + lane]
            p_room.fields[COMMAND][lane] = p_commands[first + lane]
        for place in range(len(room.state)):
            s[place] = before[place * row + vector]
        mover = s[STATE.PLAYER]
        plays = x[COMMAND] == PLAY
        apply_action(p_t, s, VectorScratch(c, p.maps, w, mover), where(plays, x[ACTION], 0))
        if any_of(~plays):
            for place in range(len(room.state)):
                s[place] = where(plays, s[place], before[place * row + vector])
            reset(p_t, p.start, s, x[COMMAND] == RESET)
        for place in range(len(room.state)):
            before[place * row + vector] = s[place]
        if p_t[TABLE.THREEFOLD]:
            for lane in range(count):
                for place in range(len(room.state)):
                    p_room.words[place] = p_room.state[place][lane]
                p_room.fields[EARLIER][lane] = earlier_occurrences(p_t, p_room.words, p_keys[first + lane])
        _write_outcomes(p_t, VectorScratch(c, p.maps, w, s[STATE.PLAYER]), mover, plays, s, x)
        _write_planes(p_t, s, x[EARLIER], shown)
        for lane in range(count):
            game = first + lane
            r.player[game] = p_room.state[STATE.PLAYER][lane]
            r.reward[game] = p_room.fields[REWARD][lane]
            r.outcome[game] = p_room.fields[OUTCOME][lane]
            r.winner[game] = p_room.fields[WINNER][lane]
            place = game * num_actions
            _write_mask(action_bits, lane, p_legal[game], r.mask, place, num_actions, len(result.mask) - place)
            place = game * observed
            _write_observation(p_t, p_room.planes, lane, r.observation, place, len(result.observation) - place)


@inlined
def _write_outcomes(t: Table, scratch: VectorScratch, mover: Vector, plays: Vector, s: Vectors, x: Vectors) -> None:
    """Writes the action bits, the outcomes, the winners and the rewards."""
    movable = legal_actions(t, s, scratch, scratch.vectors) != 0
    result = outcome(t, s, movable, x[EARLIER])
    _write_action_bits(t, scratch.codes, scratch.player, scratch.vectors, result == ONGOING)
    x[OUTCOME] = result
    x[WINNER] = winner_of(result)
    x[REWARD] = where(plays, reward_of(result, mover), 0)


@inlined
def _write_planes(t: Table, s: Vectors, earlier: Vector, planes: Vectors) -> None:
    """Fills the vectors of the planes, in the frame of the player to move."""
    observe(t, s, earlier, planes)
    for index in range(t[TABLE.NUM_PLANES]):
        if t[t[TABLE.PLANES] + TABLE.PLANE_SIZE * index + TABLE.PLANE_KIND] <= TABLE.PLANE_POINT:
            south, north = in_frame(t, SOUTH, planes[index]), in_frame(t, NORTH, planes[index])
            planes[index] = where(s[STATE.PLAYER] == SOUTH, south, north)


@inlined
def _write_mask(
    action_bits: Any, lane: int, legal: Words, mask: Words, place: int, num_actions: int, room: int
) -> None:
    """Writes the legal actions of one match as bits and as bytes."""
    for index in range((num_actions + SIMD.BITS - 1) // SIMD.BITS):
        word = action_bits[index][lane]
        legal[index] = word
        spread_word(mask, place, word, min(SIMD.BITS, num_actions), room)
        place += SIMD.BITS
        num_actions -= SIMD.BITS
        room -= SIMD.BITS


@inlined
def _write_observation(t: Table, planes: Any, lane: int, observation: Words, place: int, room: int) -> None:
    """Writes the observation of one match."""
    points = t[TABLE.POINTS]
    for index in range(t[TABLE.NUM_PLANES]):
        value = planes[index][lane]
        if t[t[TABLE.PLANES] + TABLE.PLANE_SIZE * index + TABLE.PLANE_KIND] <= TABLE.PLANE_POINT:
            spread_word(observation, place, value, points, room)
        else:
            for point in range(points):
                observation[place + point] = value
        place += points
        room -= points


@inlined
def _write_action_bits(t: Table, c: Table, player: Vector, w: Vectors, ongoing: Vector) -> None:
    """Writes the legal actions of ongoing matches as bits; zeros for the others.

    Compiled only: NumPy spreads bits to bytes faster than it moves them.
    """
    south, north = ongoing & (player == SOUTH), ongoing & (player == NORTH)
    w[c[SIMD.TALLIES] - 1] = 0
    for word in range(c[SIMD.NUM_MASK_WORDS]):
        w[c[SIMD.MASK_BITS] + word] = 0
    shift = c[SIMD.SHIFTS]
    for source in range(c[SIMD.SOURCES], c[SIMD.SHIFTS], SIMD.SOURCE_SIZE):
        other = w[c[source + SIMD.SOURCE + NORTH]]
        if c[source + SIMD.IS_TURNED]:
            other = reverse_bits(other, t[TABLE.POINTS])
        found = where(south, w[c[source + SIMD.SOURCE]], where(north, other, 0))
        end = c[source + SIMD.SHIFTS_END]
        if any_of(found != 0):
            _shift_bits(c, w, shift, end, found)
        shift = end


@inlined
def _shift_bits(c: Table, w: Vectors, shift: int, end: int, found: Vector) -> None:
    while shift < end:
        word = c[SIMD.MASK_BITS] + c[shift + SIMD.TO_WORD]
        end_of_word = c[shift + SIMD.TO_WORD_END]
        shift += SIMD.TO_WORD_SIZE
        bits = w[word]
        while shift < end_of_word:
            bits = bits | (shifted(found, c[shift + SIMD.DISTANCE_TO]) & c[shift + SIMD.BITS_TO])
            shift += SIMD.SHIFT_SIZE
        w[word] = bits
