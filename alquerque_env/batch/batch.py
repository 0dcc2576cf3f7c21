"""What all batches of matches share: commands to the matches, and what a step returns."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine.splitmix import INCREMENT_63, MASK_63, mixed
from ..errors import IllegalStepError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.planes import planes

if TYPE_CHECKING:
    from ..match.match import Match  # would be imported a second time for plain batches

# Commands, one for each match.
RESET, PLAY, HOLD = 0, 1, 2


class StepResult(NamedTuple):
    """What a step of `B` matches returns. All arrays are fresh, and of the kind of the batch, see `Batch`.

    Attributes:
      observation: int8 `[B, C, P]` in the frame of the player to move.
      mask: int8 `[B, A]`, 1 for legal actions; all 0 where the match has ended.
      player: int8 `[B]`, the player to move.
      reward: float32 `[B]`, for the player who acted: 1 won, -1 lost, 0 otherwise.
      outcome: int8 `[B]`, codes of `engine.rules.outcome`.
      winner: int8 `[B]`, the player who has won, or `table_layout.NO_WINNER`.
    """

    observation: Any
    mask: Any
    player: Any
    reward: Any
    outcome: Any
    winner: Any


KEYS_AT_FIRST = 64
"""Room for hashes of positions that a match begins with."""
_INCREMENT, _MASK = np.uint64(INCREMENT_63), np.uint64(MASK_63)


class Batch(ABC):
    """`num_games` matches of one game, stepped together.

    What a batch takes and returns are NumPy arrays, or PyTorch tensors on a device: `array` and `host` convert them,
    and `as_actions`, `blank` and `commands` wrap the operations that NumPy and PyTorch spell differently.

    Attributes:
      states: Integers `[B, S]`, the engine's states, in the host's memory; Python's where a word has no room for the
        points of the board.
      keys: int64 `[B, K]`, hashes of the positions since the last progress, if the game has a repetition rule, in the
        host's memory.
      rng: int64 `[1]`, state of the action sampler. The caller may change it.
      shape: Shape of an observation, `(C, P)`.
      device: Where tensors are.
      was_illegal: Bool `[]`, whether an action of the last step was not legal, although its command was PLAY; only of
        batches that leave such a match where it is.
    """

    states: Any
    keys: Any
    rng: Any
    device: Any = "cpu"
    was_illegal: Any = False

    def __init__(self, game: Game, num_games: int) -> None:
        self.game, self.num_games = game, num_games
        self.table = game.table.words
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))

    @abstractmethod
    def step(self, actions: Any, commands: Any) -> StepResult:
        """Advances every match.

        Args:
          actions: int64 `[B]`, legal where the command is PLAY.
          commands: int8 `[B]`: PLAY the action, HOLD the match where it is, or RESET it to the start.
        """

    @abstractmethod
    def is_legal(self, actions: Any) -> Any:
        """Bool `[B]`, whether each action, in range, is legal in its match."""

    @abstractmethod
    def first_illegal(self, actions: Any, commands: Any) -> int:
        """The first match whose command is PLAY with an illegal action, or -1."""

    @abstractmethod
    def sample(self) -> Any:
        """int64 `[B]`, a legal action for each match drawn uniformly, 0 where there is none."""

    @abstractmethod
    def restart(self, flags: Any, result: StepResult) -> StepResult:
        """Resets some matches after a step, without stepping the others.

        Args:
          flags: Bool `[B]`, the matches to reset.
          result: What the step returned.

        Returns:
          The result with observations, masks and players of the matches that were reset.
        """

    @abstractmethod
    def set(self, states: np.ndarray, keys: np.ndarray | None = None, rng: np.ndarray | None = None) -> StepResult:
        """Replaces the states of the matches, and hashes and sampler unless they are None; returns what is seen."""

    @abstractmethod
    def _place(self, starts: Mapping[int, "Match"]) -> None:
        """Sets some matches to others without earlier positions."""

    @abstractmethod
    def array(self, values: np.ndarray) -> Any:
        """A NumPy array as an array of the kind of this batch."""

    @abstractmethod
    def host(self, array: Any) -> np.ndarray:
        """An array of this kind as a NumPy array, which may share its memory."""

    @abstractmethod
    def as_actions(self, actions: Any) -> Any:
        """Actions that a user gives as int64 `[B]` of this kind; they may be out of range.

        Raises:
          IllegalStepError: If they are not integers, one for each match, of this kind.
        """

    @abstractmethod
    def blank(self, mask: Any, flags: Any) -> Any:
        """Masks with zeros for the matches with a flag; the given ones may be changed."""

    @abstractmethod
    def commands(self, flags: Any, one: int, other: int) -> Any:
        """int8 `[B]`, one command where a flag is set and another one elsewhere."""

    def begin(self, chosen: Any, starts: Mapping[int, "Match"]) -> StepResult:
        """Begins some matches anew and holds the others.

        Args:
          chosen: Bool `[B]`, the matches to begin.
          starts: Matches without earlier positions, in whose positions some of the chosen ones begin, by their places
            in the batch. The other chosen ones begin at the start of the game.
        """
        commands = self.commands(chosen, RESET, HOLD)
        if starts:
            commands[list(starts)] = HOLD
            self._place(starts)
        return self.step(self.array(np.zeros(self.num_games, np.int64)), commands)

    def look(self) -> StepResult:
        """The result for the matches where they are."""
        return self.begin(self.array(np.zeros(self.num_games, bool)), {})


class ArrayBatch(Batch):
    """A batch of NumPy arrays."""

    def __init__(self, game: Game, num_games: int) -> None:
        super().__init__(game, num_games)
        self.keys = np.zeros((num_games, KEYS_AT_FIRST if self.table[TABLE.THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        self._fresh: tuple[Any, StepResult] | None = None

    def array(self, values: np.ndarray) -> np.ndarray:
        """See `Batch.array`."""
        return values

    def host(self, array: np.ndarray) -> np.ndarray:
        """See `Batch.host`."""
        return array

    def as_actions(self, actions: Any) -> np.ndarray:
        """See `Batch.as_actions`."""
        return check_array("actions", actions, "int64", (self.num_games,), IllegalStepError)

    def blank(self, mask: np.ndarray, flags: np.ndarray) -> np.ndarray:
        """See `Batch.blank`."""
        mask[flags] = 0
        return mask

    def commands(self, flags: np.ndarray, one: int, other: int) -> np.ndarray:
        """See `Batch.commands`."""
        return np.where(flags, np.int8(one), np.int8(other))

    def first_illegal(self, actions: np.ndarray, commands: np.ndarray) -> int:
        """See `Batch.first_illegal`."""
        in_range = (actions >= 0) & (actions < self.num_actions)
        wrong = (commands == PLAY) & ~(in_range & self.is_legal(np.where(in_range, actions, 0)))
        return int(wrong.argmax()) if wrong.any() else -1

    def restart(self, flags: np.ndarray, result: StepResult) -> StepResult:
        """See `Batch.restart`."""
        if self._fresh is None:
            fresh = self._make_one()
            self._fresh = fresh, fresh.step(np.zeros(1, np.int64), np.array([RESET], np.int8))
        fresh, first = self._fresh
        games = np.flatnonzero(flags)
        self._copy_start(games, fresh, first)
        self.keys[games, 0] = fresh.keys[0, 0]
        names = "observation", "mask", "player"
        shown = {name: getattr(result, name).copy() for name in names}
        for name, array in shown.items():
            array[games] = getattr(first, name)
        return result._replace(**shown)

    def set(self, states: np.ndarray, keys: np.ndarray | None = None, rng: np.ndarray | None = None) -> StepResult:
        """See `Batch.set`."""
        self._write(slice(None), states)
        if keys is not None:
            self.keys = np.array(keys, np.int64)
        if rng is not None:
            self.rng[:] = rng
        return self.look()

    def _place(self, starts: Mapping[int, "Match"]) -> None:
        places = list(starts)
        self._write(places, [[int(word) for word in match.state] for match in starts.values()])
        self.keys[places] = 0

    def _write(self, places: Any, states: Any) -> None:
        self.states[places] = states

    @abstractmethod
    def _copy_start(self, games: np.ndarray, fresh: Any, result: StepResult) -> None:
        """Sets matches to the state of a batch `fresh` of one match at the start."""

    def _make_one(self) -> "ArrayBatch":
        """A batch of the same kind with one match."""
        return type(self)(self.game, 1)

    def _empty_result(self) -> StepResult:
        """Room for what a step returns."""
        games = self.num_games
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
