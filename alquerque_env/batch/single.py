"""One match with as little work a step as possible, for environments of one match."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel
from ..engine.kernel_types import Rows, Table, Words
from ..engine.player_view import PlayerView
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import word_rows
from .batch import KEYS_AT_FIRST

# Commands in place of an action.
RESET, LOOK = -1, -2

# Rows of one buffer, passed as one argument, since each array argument costs as much time as a step does.
STATE_ROW, SCRATCH_ROW, ACTIONS_ROW, KEYS_ROW, NUM_ROWS = range(5)
# Rows of the masks: one to read, two to give away, and one without a legal action.
COPIES = 3


class SingleMatch:
    """A match of a game.

    Attributes:
      observation: int8 `[C, P]` in the frame of the player to move; a fresh array after every step.
      masks: int8 `[4, A]`, likewise: three equal rows with 1 for legal actions, all 0 when the match has ended, and a
        row of zeros.
      player: The player to move.
      outcome: Code of `engine.rules.outcome`.
    """

    def __init__(self, game: Game) -> None:
        self.table = game.table.words
        self.num_actions = game.num_actions
        self._view = PlayerView(game)
        self._shape = self._view.shape
        self._size = self._shape[0] * self._shape[1]
        needed = (self.table[TABLE.STATE_SIZE], self.table[TABLE.SCRATCH_SIZE], self.num_actions, KEYS_AT_FIRST)
        self._rows = word_rows(self.table, NUM_ROWS, -(-int(max(needed)) // TABLE.LANES) * TABLE.LANES)
        self._looks_back = bool(self.table[TABLE.THREEFOLD])
        self._earlier = 0
        self.play(RESET)

    # The chosen form of the kernel cannot be pickled. A copy chooses it at each step until it is reset.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_step"}

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__ |= content | {"_step": play_one}

    @property
    def state(self) -> Any:
        """The engine's state."""
        return self._rows[STATE_ROW][: self.table[TABLE.STATE_SIZE]]

    def play(self, action: int) -> None:
        """Plays a legal action, begins a new match with RESET, or looks at the present state with LOOK."""
        if action == RESET:
            self._step = play_one.form_for(self.table)
        while self._looks_back and self._rows[STATE_ROW][STATE.QUIET] + 2 > len(self._rows[KEYS_ROW]):
            self._rows = _twice_as_long(self.table, self._rows)
        observation = np.empty(self._size, np.int8)
        self.observation = observation.reshape(self._shape)
        self.masks = masks = np.zeros((COPIES + 1, self.num_actions), np.int8)
        self.player, self.outcome, self._earlier = self._step(self.table, self._rows, action, observation, masks)

    def begin_at(self, state: Iterable[int]) -> None:
        """Begins a match in a state, of which no earlier positions are known."""
        for place, word in enumerate(state):
            self._rows[STATE_ROW][place] = word
        for place in range(len(self._rows[KEYS_ROW])):
            self._rows[KEYS_ROW][place] = 0
        self.play(LOOK)

    def observe(self, player: int) -> np.ndarray:
        """int8 `[C, P]`, the position as a player sees it, whether or not this player is to move."""
        return self._view.observe(self.state, player, self._earlier)


def _twice_as_long(t: Any, rows: Any) -> Any:
    longer = word_rows(t, NUM_ROWS, 2 * len(rows[KEYS_ROW]))
    for row, old in zip(longer, rows, strict=True):
        row[: len(old)] = old
    return longer


@entry_kernel
def play_one(t: Table, rows: Rows, action: int, observation: Words, masks: Rows) -> tuple[int, int, int]:
    """Plays an action or a command; returns the player to move, the outcome and how often the position occurred."""
    s, w, actions = rows[STATE_ROW], rows[SCRATCH_ROW], rows[ACTIONS_ROW]
    if action == RESET:
        rules.begin(t, s)
    elif action != LOOK:
        rules.apply_action(t, s, w, action)
    n, result, earlier = rules.legal_and_outcome(t, s, w, actions, rows[KEYS_ROW])
    for copy in range(COPIES):
        for index in range(n):
            masks[copy][actions[index]] = 1
    rules.observe(t, s, earlier, observation, 0)
    return s[STATE.PLAYER], result, earlier
