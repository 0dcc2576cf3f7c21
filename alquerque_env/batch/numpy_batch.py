"""A batch played without Numba, by NumPy on one array for each part of a state.

Small batches, games whose rules `engine/simd_table.py` does not cover or that look at repetition, and games with more
than 63 points, for which there is also `wide_batch.py`, are played match by match. The tests compare every result with
the compiled kernels under every option value.
"""

from typing import Any

import numpy as np

from ..engine import rules_scalar as rules, simd_layout as SIMD
from ..engine.rules_simd import (
    VectorScratch,
    apply_action,
    by_player,
    legal_actions,
    observe,
    outcome,
    reward_of,
    winner_of,
)
from ..engine.simd_table import make_simd_table
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import words
from ..game.outcomes import ONGOING
from .batch import ArrayBatch, sample_legal
from .step_result import PLAY, RESET, StepResult

# With fewer matches a call to NumPy takes longer than a step of the scalar kernels.
MIN_GAMES = 16
WIDE_BYTES = 16  # of the points of a board with more than 63


class NumpyBatch(ArrayBatch):
    """A batch played by NumPy."""

    def __init__(self, game: Game, num_games: int) -> None:
        super().__init__(game, num_games)
        self._points = len(game.board.points)
        is_wide = game.board.is_wide
        at_once = num_games >= MIN_GAMES and not self.table[TABLE.THREEFOLD] and not is_wide
        self._simd = table = make_simd_table(game) if at_once else None
        kind = table.kind if table else object if is_wide else np.int64
        self._vectors = np.zeros((len(game.table.start), num_games), kind)
        self._vector_scratch = np.zeros((table.num_vectors if table else 0, num_games), self._vectors.dtype)
        self._start = np.array(game.table.start, self._vectors.dtype)
        self.states = self._vectors.T
        kinds = self.table[self.table[TABLE.PLANES] :][: TABLE.PLANE_SIZE * self.shape[0] : TABLE.PLANE_SIZE]
        self._value_planes = [plane for plane, kind in enumerate(kinds) if kind > TABLE.PLANE_POINT]
        self._mask = np.zeros((num_games, self.num_actions), np.int8)
        self._scratch = words(self.table[TABLE.SCRATCH_SIZE])
        self._room = words(self.num_actions)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.states = self._vectors.T  # a copy is no view

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """See `Batch.step`."""
        movers = self.states[:, STATE.PLAYER].copy()
        plays = commands == PLAY
        self.states[commands == RESET] = self._start
        step = self._step_one_by_one if self._simd is None else self._step_at_once
        mask, result, earlier = step(actions, plays)
        mask[result != ONGOING] = 0
        self._mask = mask
        reward = np.where(plays, reward_of(result, movers), 0).astype(np.float32)
        player, winner = self.states[:, STATE.PLAYER].astype(np.int8), winner_of(result).astype(np.int8)
        return StepResult(self._observe(earlier), mask.copy(), player, reward, result.astype(np.int8), winner)

    def _copy_start(self, games: np.ndarray, fresh: ArrayBatch, result: StepResult) -> None:
        self.states[games], self._mask[games] = fresh.states, result.mask

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """See `Batch.is_legal`."""
        return self._mask[np.arange(len(self.states)), actions].astype(bool)

    def sample(self) -> np.ndarray:
        """See `Batch.sample`."""
        return sample_legal(self._mask, self.rng)

    def _step_one_by_one(self, actions: np.ndarray, plays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Plays by the scalar kernels; returns masks, outcomes and how often the positions occurred before."""
        t, w, room = self.table, self._scratch, self._room
        self._make_room_for_keys()
        mask = np.zeros_like(self._mask)
        result, earlier = np.zeros((2, len(self.states)), np.int64)
        for game, state in enumerate(self.states.tolist()):
            if plays[game]:
                rules.apply_action(t, state, w, int(actions[game]))
                self.states[game] = state
            legal, result[game], earlier[game] = rules.legal_and_outcome(t, state, w, room, self.keys[game])
            mask[game, room[:legal]] = 1
        return mask, result, earlier

    def _step_at_once(self, actions: np.ndarray, plays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Plays by the SIMD kernels; returns the same."""
        t, table, vectors = self.table, self._simd, self._vectors
        assert table is not None
        for player, matches in by_player(vectors):
            games = matches[plays[matches]]
            part, scratch = vectors[:, games], self._vector_scratch[:, : len(games)]
            found = VectorScratch(table.codes, table.maps, scratch, player)
            apply_action(t, part, found, actions[games].astype(part.dtype))
            vectors[:, games] = part
        mask = np.zeros_like(self._mask)
        result, earlier = np.zeros((2, len(self.states)), np.int64)
        for player, games in by_player(vectors):
            part, scratch = vectors[:, games], self._vector_scratch[:, : len(games)]
            movable = legal_actions(t, part, VectorScratch(table.codes, table.maps, scratch, player), scratch) != 0
            self._write_mask(player, games, scratch, mask)
            result[games] = outcome(t, part, movable, earlier[games])
        return mask, result, earlier

    def _write_mask(self, player: int, games: np.ndarray, scratch: np.ndarray, mask: np.ndarray) -> None:
        """Sets the mask for the actions of all origin sets."""
        table = self._simd
        assert table is not None
        first, count = table.codes[SIMD.ORIGIN_SETS], table.codes[SIMD.NUM_ORIGIN_SETS]
        sets = scratch[first : first + count].reshape(-1)
        some = np.flatnonzero(sets != 0)
        origins, place = np.divmod(some, len(games))
        parts = sets[some].astype(f"<i{sets.itemsize}").view(np.uint8).reshape(len(some), sets.itemsize)
        bits = np.unpackbits(parts, axis=1, bitorder="little").view(bool)
        row, point = np.divmod(np.flatnonzero(bits), bits.shape[1])
        actions = table.maps[table.codes[SIMD.MAPS + player] + origins[row] * self._points + point]
        mask.reshape(-1)[games[place[row]] * self.num_actions + actions] = 1

    def _observe(self, earlier: np.ndarray) -> np.ndarray:
        vectors = self._vectors
        planes = np.zeros((self.shape[0], vectors.shape[1]), vectors.dtype)
        observe(self.table, vectors, earlier, planes)
        observation = np.empty((vectors.shape[1], *self.shape), np.int8)
        for player, games in by_player(vectors):
            observation[games] = self._spread(planes[:, games].T, self.table[TABLE.TURN + player])
        for plane in self._value_planes:
            observation[:, plane] = planes[plane][:, None]
        return observation

    def _spread(self, bitboards: np.ndarray, turn: int) -> np.ndarray:
        """0 or 1 `[n, C, P]` for the points of bitboards `[n, C]`, in the frame of a player."""
        turned = turn == TABLE.HALF_TURN
        if bitboards.dtype == object:  # Python's integers
            order: Any = "big" if turned else "little"
            joined = b"".join(word.to_bytes(WIDE_BYTES, order) for word in bitboards.flat)
            return self._as_seen(np.frombuffer(joined, np.uint8).reshape(*bitboards.shape, WIDE_BYTES), turn)
        parts = bitboards.astype(f"{'>' if turned else '<'}i{bitboards.itemsize}", order="C").view(np.uint8)
        return self._as_seen(parts.reshape(*bitboards.shape, -1), turn)

    def _as_seen(self, parts: np.ndarray, turn: int) -> np.ndarray:
        """0 or 1 `[n, C, P]` for the bytes `[n, C, bytes]` of bitboards, the highest first for a half-turn."""
        turned = turn == TABLE.HALF_TURN
        bits = np.unpackbits(parts, axis=2, bitorder="big" if turned else "little")
        if turned:
            return bits[:, :, -self._points :]
        return bits[:, :, self.game.turn if turn == TABLE.TURNED else slice(self._points)]
