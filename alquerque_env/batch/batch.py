"""What all batches of matches share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.splitmix import INCREMENT_63, MASK_63, mixed
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import PLAIN, step_words
from ..game.planes import planes
from .step_result import HOLD, PLAY, RESET, StepResult

if TYPE_CHECKING:
    from ..match.match import Match  # would be imported a second time for plain batches

KEYS_AT_FIRST = 64
"""Room for hashes of positions that a match begins with."""
_INCREMENT, _MASK = np.uint64(INCREMENT_63), np.uint64(MASK_63)


class Batch(ABC):
    """`num_games` matches of one game, stepped together.

    Attributes:
      states: Integers `[B, S]`, the engine's states.
      keys: int64 `[B, K]`, hashes of the positions since the last progress, if the game has a repetition rule.
      rng: int64 `[1]`, state of the action sampler.
      shape: Shape of an observation, `(C, P)`.
      is_plain: Whether it is played without compiled kernels until there are any.
    """

    states: np.ndarray
    is_plain = __name__.startswith(PLAIN)

    def __init__(self, game: Game, num_games: int) -> None:
        self.game = game
        self.table = step_words(game.table)
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))
        self.keys = np.zeros((num_games, KEYS_AT_FIRST if self.table[TABLE.THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        self._fresh: tuple[Any, StepResult] | None = None

    @abstractmethod
    def step(self, actions: np.ndarray, commands: np.ndarray) -> StepResult:
        """Advances every match.

        Args:
          actions: int64 `[B]`, legal where the command is PLAY.
          commands: int8 `[B]`: PLAY the action, HOLD the match where it is, or RESET it to the start.
        """

    @abstractmethod
    def is_legal(self, actions: np.ndarray) -> np.ndarray:
        """Bool `[B]`, whether each action, in range, is legal in its match."""

    @abstractmethod
    def sample(self) -> np.ndarray:
        """int64 `[B]`, a legal action for each match drawn uniformly, 0 where there is none."""

    @abstractmethod
    def _copy_start(self, games: np.ndarray, fresh: Any, result: StepResult) -> None:
        """Sets matches to the state of a batch `fresh` of one match at the start."""

    def begin(self, chosen: np.ndarray, starts: Mapping[int, "Match"]) -> StepResult:
        """Begins some matches anew and holds the others.

        Args:
          chosen: Bool `[B]`, the matches to begin.
          starts: Matches without earlier positions, in whose positions some of the chosen ones begin, by their places
            in the batch. The other chosen ones begin at the start of the game.
        """
        commands = np.where(chosen, RESET, HOLD).astype(np.int8)
        if starts:
            commands[list(starts)] = HOLD
            self._place(starts)
        return self.step(np.zeros(len(commands), np.int64), commands)

    def _place(self, starts: Mapping[int, "Match"]) -> None:
        """Sets some matches to others without earlier positions."""
        places = list(starts)
        self.states[places] = [[int(word) for word in match.state] for match in starts.values()]
        self.keys[places] = 0

    def first_illegal(self, actions: np.ndarray, commands: np.ndarray) -> int:
        """The first match whose command is PLAY with an illegal action, or -1."""
        in_range = (actions >= 0) & (actions < self.num_actions)
        wrong = (commands == PLAY) & ~(in_range & self.is_legal(np.where(in_range, actions, 0)))
        return int(wrong.argmax()) if wrong.any() else -1

    def reset(self, games: np.ndarray) -> StepResult:
        """Resets some matches, int64 `[K]` indices, without stepping the others.

        Returns:
          The result of one match at the start, `B` = 1.
        """
        if self._fresh is None:
            fresh = self._make_one()
            self._fresh = fresh, fresh.step(np.zeros(1, np.int64), np.array([RESET], np.int8))
        fresh, result = self._fresh
        self._copy_start(games, fresh, result)
        self.keys[games, 0] = fresh.keys[0, 0]
        return result

    def _make_one(self) -> "Batch":
        """A batch of the same kind with one match."""
        return type(self)(self.game, 1)

    def look(self) -> StepResult:
        """The result for the matches where they are, to be called after `states` was set."""
        games = len(self.states)
        return self.step(np.zeros(games, np.int64), np.full(games, HOLD, np.int8))

    def _empty_result(self) -> StepResult:
        """Room for what a step returns."""
        games = len(self.keys)
        return StepResult(
            np.empty((games, *self.shape), np.int8),
            np.empty((games, self.num_actions), np.int8),
            np.empty(games, np.int8),
            np.empty(games, np.float32),
            np.empty(games, np.int8),
            np.empty(games, np.int8),
        )

    def _make_room_for_keys(self) -> None:
        """Doubles the room where a match without a limit goes on without progress for longer."""
        while self.table[TABLE.THREEFOLD] and self.states[:, STATE.QUIET].max() + 2 > self.keys.shape[1]:
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)], axis=1)


def sample_legal(mask: np.ndarray, rng: np.ndarray) -> np.ndarray:
    """int64 `[B]`, a legal action by each mask drawn uniformly, 0 where there is none.

    Args:
      mask: int8 `[B, A]`.
      rng: int64 `[1]`, state of the generator, as for `engine.rules_scalar.random_below`; overwritten.
    """
    games, legal = np.divmod(np.flatnonzero(mask.reshape(-1).view(bool)), mask.shape[1])
    counts = np.bincount(games, minlength=len(mask))
    drawing = np.flatnonzero(counts)
    state = rng.view(np.uint64)[0]
    with np.errstate(over="ignore"):
        draws = mixed((state + _INCREMENT * np.arange(1, len(drawing) + 1, dtype=np.uint64)) & _MASK, _MASK)
        rng[0] = np.int64((state + _INCREMENT * np.uint64(len(drawing))) & _MASK)
    index = ((draws >> np.uint64(31)) * counts[drawing].astype(np.uint64) >> np.uint64(32)).astype(np.int64)
    first = np.cumsum(counts) - counts
    actions = np.zeros(len(mask), np.int64)
    actions[drawing] = legal[first[drawing] + index]
    return actions
