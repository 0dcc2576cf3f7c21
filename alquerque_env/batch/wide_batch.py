"""A batch of a game with more than 63 points, played by NumPy on pairs of words, see `engine/words/wide_words.py`."""

from typing import Any

import numpy as np

from ..engine import simd_layout as SIMD
from ..engine.rules_simd import by_player
from ..engine.rules_wide import (
    VectorScratch,
    apply_action,
    legal_actions,
    observe,
    outcome,
    reward_of,
    winner_of,
)
from ..engine.simd_table import SimdTable, make_simd_table
from ..engine.words.wide_words import WideSet, halves_of
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import WORD_BITS
from ..game.outcomes import ONGOING
from .batch import ArrayBatch, sample_legal
from .numpy_batch import MIN_GAMES
from .step_result import PLAY, RESET, StepResult

NUMBERS = frozenset({STATE.PLAYER, STATE.CHAIN, STATE.QUIET})
"""Places of a state that hold no set of points."""


def make_wide_batch(game: Game, num_games: int) -> "WideBatch | None":
    """A batch on pairs of words; None if the matches are played one by one: few matches, or rules that ask for it."""
    table = make_simd_table(game) if num_games >= MIN_GAMES else None
    return None if table is None or game.table.plain_words[TABLE.THREEFOLD] else WideBatch(game, num_games, table)


class WideBatch(ArrayBatch):
    """A batch played on pairs of words."""

    def __init__(self, game: Game, num_games: int, table: SimdTable) -> None:
        super().__init__(game, num_games)
        self._simd, self._points = table, len(game.board.points)
        self._start = _columns([game.table.start])
        self._words = [word[np.zeros(num_games, np.int64)] for word in self._start]
        kinds = self.table[self.table[TABLE.PLANES] :][: TABLE.PLANE_SIZE * self.shape[0] : TABLE.PLANE_SIZE]
        self._is_set = [kind <= TABLE.PLANE_POINT for kind in kinds]
        self._mask = np.zeros((num_games, self.num_actions), np.int8)

    @property
    def states(self) -> np.ndarray:
        """Python's integers `[B, S]`, a copy of the states."""
        return np.array([_integers(word) for word in self._words], object).T

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """See `Batch.step`."""
        t, state = self.table, self._words
        self._begin(np.flatnonzero(commands == RESET))
        movers, plays = state[STATE.PLAYER].copy(), commands == PLAY
        for player, matches in by_player(state):
            games = matches[plays[matches]]
            part = [word[games] for word in state]
            apply_action(t, part, self._scratch(player), actions[games])
            _put(state, games, part)
        mask = np.zeros_like(self._mask)
        result = np.zeros(self.num_games, np.int64)
        observation = np.empty((self.num_games, *self.shape), np.int8)
        for player, games in by_player(state):
            part, scratch = [word[games] for word in state], self._scratch(player)
            movable = legal_actions(t, part, scratch, None)
            earlier = np.zeros(len(games), np.int64)
            result[games] = outcome(t, part, movable != 0, earlier)
            self._write_mask(player, games, scratch.vectors, mask)
            self._observe(player, games, part, observation)
        mask[result != ONGOING] = 0
        self._mask = mask
        reward = np.where(plays, reward_of(result, movers), 0).astype(np.float32)
        player, winner = state[STATE.PLAYER].astype(np.int8), winner_of(result).astype(np.int8)
        return StepResult(observation, mask.copy(), player, reward, result.astype(np.int8), winner)

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """See `Batch.is_legal`."""
        return self._mask[np.arange(self.num_games), actions].astype(bool)

    def sample(self) -> np.ndarray:
        """See `Batch.sample`."""
        return sample_legal(self._mask, self.rng)

    def _make_one(self) -> "WideBatch":
        return WideBatch(self.game, 1, self._simd)

    def _copy_start(self, games: np.ndarray, fresh: ArrayBatch, result: StepResult) -> None:  # noqa: ARG002
        self._begin(games)
        self._mask[games] = result.mask

    def _write(self, places: Any, states: Any) -> None:
        _put(self._words, places, _columns(states))

    def _begin(self, games: np.ndarray) -> None:
        """Sets matches to the start."""
        _put(self._words, games, self._start)

    def _scratch(self, player: int) -> VectorScratch:
        return VectorScratch(self._simd.codes, self._simd.maps, [0] * self._simd.num_vectors, player)

    def _write_mask(self, player: int, games: np.ndarray, vectors: Any, mask: np.ndarray) -> None:
        """Sets the mask for the actions of all origin sets."""
        codes, maps = self._simd.codes, self._simd.maps
        first, count = codes[SIMD.ORIGIN_SETS], codes[SIMD.NUM_ORIGIN_SETS]
        # A set that was cleared is the integer 0.
        numbers = [number for number in range(count) if isinstance(vectors[first + number], WideSet)]
        halves = np.stack([vectors[first + number].halves for number in numbers])
        some = np.flatnonzero(halves)
        place, match = np.divmod(some, len(games))
        parts = halves.reshape(-1)[some].astype("<i8").view(np.uint8).reshape(len(some), 8)
        row, point = np.divmod(np.flatnonzero(np.unpackbits(parts, bitorder="little").view(bool)), 64)
        number, half = np.divmod(place, 2)
        before = np.array(numbers)[number] * self._points + WORD_BITS * half + codes[SIMD.MAPS + player]
        actions = maps[before[row] + point]
        mask.reshape(-1)[(games[match] * self.num_actions)[row] + actions] = 1

    def _observe(self, player: int, games: np.ndarray, part: list[Any], observation: np.ndarray) -> None:
        words: list[Any] = [None] * self.shape[0]
        observe(self.table, part, np.zeros(len(games), np.int64), words)
        sets = [plane for plane, is_set in enumerate(self._is_set) if is_set]
        halves = np.stack([words[plane].halves for plane in sets]).transpose(2, 0, 1)
        parts = halves.astype("<i8", order="C").view(np.uint8).reshape(len(games), len(sets), 2, 8)
        bits = np.unpackbits(parts, axis=3, bitorder="little")[..., :WORD_BITS].reshape(len(games), len(sets), -1)
        turn = self.table[TABLE.TURN + player]
        frame: Any = self.game.turn if turn == TABLE.TURNED else slice(self._points)
        seen = bits[:, :, frame]
        observation[games[:, None], sets] = seen[:, :, ::-1] if turn == TABLE.HALF_TURN else seen
        for plane, is_set in enumerate(self._is_set):
            if not is_set:
                observation[games, plane] = words[plane][:, None]


def _columns(states: Any) -> list[Any]:
    """States `[B, S]` as a set or an array of numbers for each place."""
    return [
        np.array(words, np.int64) if place in NUMBERS else WideSet(np.hstack([halves_of(int(word)) for word in words]))
        for place, words in enumerate(zip(*states, strict=True))
    ]


def _integers(word: Any) -> np.ndarray:
    """A set or numbers as Python's integers `[B]`."""
    if isinstance(word, WideSet):
        low, high = word.halves.astype(object)
        return low | high << WORD_BITS
    return word.astype(object)


def _put(state: list[Any], games: Any, part: list[Any]) -> None:
    """Overwrites the words of some matches."""
    for word, new in zip(state, part, strict=True):
        word[games] = new
