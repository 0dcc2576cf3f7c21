"""A batch of `Match` objects, for opponents that look at the whole match."""

from collections.abc import Mapping

import numpy as np

from ..game.game import Game
from ..game.kernel_arrays import state_rows
from ..game.outcomes import NO_WINNER, NOBODY, ONGOING
from ..match.match import REASONS, Match
from .batch import ArrayBatch, sample_legal
from .step_result import PLAY, RESET, StepResult

CODES = {reason: code for code, reason in REASONS.items()}


class MatchBatch(ArrayBatch):
    """A batch whose matches are played one by one and keep their history.

    Attributes:
      matches: The matches.
    """

    def __init__(self, game: Game, num_games: int) -> None:
        super().__init__(game, num_games)
        self.matches = [Match(game) for _ in range(num_games)]
        self._seen = self._empty_result()
        for place in range(num_games):
            self._look_at(place)

    @property
    def states(self) -> np.ndarray:
        """`[B, S]`, a copy of the states."""
        return state_rows((match.state for match in self.matches), self.game.board.is_wide)

    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """See `Batch.step`."""
        seen = self._seen
        seen.reward[:] = 0
        for place in np.flatnonzero(commands == RESET).tolist():
            self.matches[place] = Match(self.game)
            self._look_at(place)
        for place in np.flatnonzero(commands == PLAY).tolist():
            mover = seen.player[place]
            self.matches[place].push(int(actions[place]))
            self._look_at(place)
            if seen.winner[place] != NO_WINNER:
                seen.reward[place] = 1 if seen.winner[place] == mover else -1
        return StepResult(*(array.copy() for array in seen))

    def _place(self, starts: Mapping[int, Match]) -> None:
        for place, match in starts.items():
            self.matches[place] = match.copy()
            self._look_at(place)

    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """See `Batch.is_legal`."""
        return self._seen.mask[np.arange(len(self.matches)), actions] != 0

    def sample(self) -> np.ndarray:
        """See `Batch.sample`."""
        return sample_legal(self._seen.mask, self.rng)

    def _copy_start(self, games: np.ndarray, fresh: "MatchBatch", result: StepResult) -> None:  # noqa: ARG002
        for place in games.tolist():
            self.matches[place] = fresh.matches[0].copy()
            self._look_at(place)

    def _look_at(self, place: int) -> None:
        """Notes what is seen of a match, except the reward."""
        match, seen = self.matches[place], self._seen
        seen.observation[place], seen.mask[place] = match.observation(), match.action_mask()
        seen.player[place] = match.player
        outcome = match.outcome
        winner = NOBODY if outcome is None or outcome.winner is None else outcome.winner
        seen.outcome[place] = ONGOING if outcome is None else 4 * CODES[outcome.reason] + winner
        seen.winner[place] = NO_WINNER if winner == NOBODY else winner
