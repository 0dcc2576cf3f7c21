"""Many matches of one game, played match by match by kernels, and what all batches share: commands and results."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import clear_bytes, count_lanes, entry_kernel, fill_lanes, find_lane, inlined, nth_bit
from ..engine.kernel_types import Array, Rows, Table, Words
from ..errors import IllegalStepError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.kernel_arrays import words

if TYPE_CHECKING:
    from ..match.match import Match  # the kernels of a batch do without it

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
BITS = 32  # actions to an integer of the legal set; a power of two, so that `//` and `%` are a shift and a mask
LINE = 64  # bytes that are cleared at once


class Batch:
    """`num_games` matches of one game, stepped together; here by kernels, match by match.

    What a batch takes and returns are NumPy arrays, or in `TorchBatch` PyTorch tensors on a device: `array` and `host`
    convert them, and `as_actions`, `blank` and `commands` wrap the operations that the two spell differently.

    Attributes:
      states: Integers `[B, S]`, the engine's states, in the host's memory; Python's where a word has no room for the
        points of the board.
      legal: int64 `[B, L]`, the legal actions as bits, 32 to an integer; none where the match has ended. Tensors lack
        it.
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
        self.shape = (len(game.planes), len(game.board.points))
        self._make_room()

    def _make_room(self) -> None:
        """Makes the arrays of the matches."""
        t, games = self.table, self.num_games
        self.states = np.zeros((games, t[TABLE.STATE_SIZE]), object if self.game.board.is_wide else np.int64)
        # Whole groups of lanes, since kernels clear and count a group at once.
        self.legal = np.zeros((games, TABLE.LANES * -(-self.num_actions // (BITS * TABLE.LANES))), np.int64)
        self.keys = np.zeros((games, KEYS_AT_FIRST if t[TABLE.THREEFOLD] else 1), np.int64)
        self.rng = np.zeros(1, np.int64)
        self._scratch, self._actions = words(t, t[TABLE.SCRATCH_SIZE]), words(t, self.num_actions)
        self._start: tuple[Batch, StepResult] | None = None

    def step(self, actions: Any, commands: Any) -> StepResult:
        """Advances every match.

        Args:
          actions: int64 `[B]`, legal where the command is PLAY.
          commands: int8 `[B]`: PLAY the action, HOLD the match where it is, or RESET it to the start.
        """
        # A match without a limit may go on without progress for longer than there is room for.
        while self.table[TABLE.THREEFOLD] and self.states[:, STATE.QUIET].max() + 2 > self.keys.shape[1]:
            self.keys = np.concatenate([self.keys, np.zeros_like(self.keys)], axis=1)
        games = self.num_games
        observation, mask = (np.empty((games, size), np.int8) for size in (np.prod(self.shape), self.num_actions))
        player, outcome, winner = np.empty((3, games), np.int8)
        result = StepResult(observation, mask, player, np.empty(games, np.float32), outcome, winner)
        batch = BatchArrays(self.states, self.legal, self.keys, self._scratch, self._actions)
        step_all(self.table, games, batch, actions, commands, result)
        return result._replace(observation=observation.reshape(games, *self.shape))

    def is_legal(self, actions: Any) -> Any:
        """Bool `[B]`, whether each action, in range, is legal in its match."""
        games = np.arange(self.num_games)
        return (self.legal[games, actions // BITS] >> actions % BITS & 1).astype(bool)

    def first_illegal(self, actions: Any, commands: Any) -> int:
        """The first match whose command is PLAY with an illegal action, or -1."""
        return int(find_illegal(self.legal, self.num_games, self.num_actions, actions, commands))

    def sample(self) -> Any:
        """int64 `[B]`, a legal action for each match drawn uniformly, 0 where there is none."""
        actions = np.empty(self.num_games, np.int64)
        sample_all(self.legal, *self.legal.shape, self.rng, actions)
        return actions

    def restart(self, flags: Any, result: StepResult) -> StepResult:
        """Resets some matches after a step, without stepping the others.

        Args:
          flags: Bool `[B]`, the matches to reset.
          result: What the step returned.

        Returns:
          The result with observations, masks and players of the matches that were reset.
        """
        if self._start is None:
            one = Batch(self.game, 1)
            self._start = one, one.step(np.zeros(1, np.int64), np.array([RESET], np.int8))
        start, first = self._start
        games = np.flatnonzero(flags)
        self.states[games], self.legal[games], self.keys[games, 0] = start.states, start.legal, start.keys[0, 0]
        shown = {name: getattr(result, name).copy() for name in ("observation", "mask", "player")}
        for name, array in shown.items():
            array[games] = getattr(first, name)
        return result._replace(**shown)

    def set(self, states: np.ndarray, keys: np.ndarray | None = None, rng: np.ndarray | None = None) -> StepResult:
        """Replaces the states of the matches, and hashes and sampler unless they are None; returns what is seen."""
        self.states[:] = states
        if keys is not None:
            self.keys = np.array(keys, np.int64)
        if rng is not None:
            self.rng[:] = rng
        return self.look()

    def _place(self, starts: Mapping[int, "Match"]) -> None:
        """Sets some matches to others without earlier positions."""
        places = list(starts)
        self.states[places] = [[int(word) for word in match.state] for match in starts.values()]
        self.keys[places] = 0

    def array(self, values: np.ndarray) -> Any:
        """A NumPy array as an array of the kind of this batch."""
        return values

    def host(self, array: Any) -> np.ndarray:
        """An array of this kind as a NumPy array, which may share its memory."""
        found: np.ndarray = array
        return found

    def as_actions(self, actions: Any) -> Any:
        """Actions that a user gives as int64 `[B]` of this kind; they may be out of range.

        Raises:
          IllegalStepError: If they are not integers, one for each match, of this kind.
        """
        return check_array("actions", actions, "int64", (self.num_games,), IllegalStepError)

    def blank(self, mask: Any, flags: Any) -> Any:
        """Masks with zeros for the matches with a flag; the given ones may be changed."""
        mask[flags] = 0
        return mask

    def commands(self, flags: Any, one: int, other: int) -> Any:
        """int8 `[B]`, one command where a flag is set and another one elsewhere."""
        return np.where(flags, np.int8(one), np.int8(other))

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


class BatchArrays(NamedTuple):
    """The arrays of a batch: its attributes of the same names, scratch space and room for actions."""

    states: Array
    legal: Array
    keys: Array
    scratch: Any
    room: Any


@entry_kernel
def step_all(t: Table, count: int, batch: BatchArrays, actions: Words, commands: Words, result: StepResult) -> None:
    """Advances all `count` matches, see `Batch.step`. Rows of observations are flattened."""
    for game in range(count):
        s = batch.states[game]
        mover = s[STATE.PLAYER]
        command = commands[game]
        if command == PLAY:
            rules.apply_action(t, s, batch.scratch, actions[game])
        elif command == RESET:
            rules.begin(t, s)
        outcome = _write_result(t, s, batch, game, result.observation[game], result.mask[game])
        result.player[game] = s[STATE.PLAYER]
        result.outcome[game] = outcome
        result.winner[game] = rules.winner_of(outcome)
        result.reward[game] = rules.reward_of(outcome, mover) if command == PLAY else 0


@inlined
def _write_result(t: Table, s: Words, batch: BatchArrays, game: int, observation: Words, mask: Words) -> int:
    """Writes the mask and the observation of one match; returns its outcome."""
    room, legal = batch.room, batch.legal[game]
    n, result, earlier = rules.legal_and_outcome(t, s, batch.scratch, room, batch.keys[game])
    # `clear_bytes` writes whole lines, and the last one would begin before a shorter row.
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
def find_illegal(legal: Rows, count: int, num_actions: int, actions: Words, commands: Words) -> int:
    """The first of `count` matches whose command is PLAY with an illegal action, or -1."""
    for game in range(count):
        action = actions[game]
        if commands[game] == PLAY:
            if action < 0 or action >= num_actions:
                return game
            if legal[game][action // BITS] >> action % BITS & 1 == 0:
                return game
    return -1


@entry_kernel
def sample_all(legal: Rows, count: int, width: int, rng: Words, actions: Words) -> None:
    """Draws a legal action for each of `count` matches, whose legal sets have `width` integers."""
    for game in range(count):
        bits = legal[game]
        total = 0
        for group in range(0, width, TABLE.LANES):
            total += count_lanes(bits, group)
        actions[game] = _pick_bit(bits, rules.random_below(rng, total)) if total else 0


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
