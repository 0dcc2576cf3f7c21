"""A batch played match by match in plain Python: without Numba, and on boards with more points than a word has bits."""

import numpy as np

from ..engine import rules_scalar as rules
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import words
from ..game.outcomes import ONGOING
from .batch import ArrayBatch, sample_legal
from .step_result import PLAY, RESET, StepResult


class PlainBatch(ArrayBatch):
    """A batch played in plain Python."""

    def __init__(self, game: Game, num_games: int) -> None:
        super().__init__(game, num_games)
        self._start = np.array(game.table.start, object if game.board.is_wide else np.int64)
        self.states = np.zeros((num_games, len(self._start)), self._start.dtype)
        self._mask = np.zeros((num_games, self.num_actions), np.int8)
        self._scratch = words(self.table[TABLE.SCRATCH_SIZE])
        self._room = words(self.num_actions)

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """See `Batch.step`."""
        t, w, room = self.table, self._scratch, self._room
        self._make_room_for_keys()
        self.states[commands == RESET] = self._start
        found = self._empty_result()
        found.mask[:] = found.reward[:] = 0
        for game, state in enumerate(self.states.tolist()):
            mover = state[STATE.PLAYER]
            if commands[game] == PLAY:
                rules.apply_action(t, state, w, int(actions[game]))
                self.states[game] = state
            legal, result, earlier = rules.legal_and_outcome(t, state, w, room, self.keys[game])
            if result == ONGOING:
                found.mask[game, room[:legal]] = 1
            if commands[game] == PLAY:
                found.reward[game] = rules.reward_of(result, mover)
            rules.observe(t, state, earlier, found.observation[game].reshape(-1), 0)
            found.player[game], found.outcome[game] = state[STATE.PLAYER], result
            found.winner[game] = rules.winner_of(result)
        self._mask = found.mask.copy()
        return found

    def _copy_start(self, games: np.ndarray, fresh: ArrayBatch, result: StepResult) -> None:
        self.states[games], self._mask[games] = fresh.states, result.mask

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """See `Batch.is_legal`."""
        return self._mask[np.arange(len(self.states)), actions].astype(bool)

    def sample(self) -> np.ndarray:
        """See `Batch.sample`."""
        return sample_legal(self._mask, self.rng)
