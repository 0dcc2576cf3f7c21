"""One match at a time, for environments of one match: what `lockstep.py` does for many, with less ado per step."""

from typing import Any

import numpy as np

from ..engine import rules as e
from ..engine.compiler import borrowed, kernel
from ..game.game import Game
from ..game.kernel_arrays import word_rows
from ..game.planes import planes

BEGIN = -1
KEYS_TO_BEGIN_WITH = 64

# What the kernels work with: rows of words, handed over at once, since every array costs a call as much as a step does.
STATE, SCRATCH, ACTIONS, KEYS, ROWS = range(5)
# Rows of the masks: ours, two to give away, and one without a legal action.
COPIES = 3


class Solo:
    """A match of a game.

    Attributes:
      observation: int8 `[C, P]` in the frame of the player to move; a fresh array after every step.
      masks: int8 `[4, A]`, likewise: three times 1 for legal actions, all 0 when the match has ended, and a row of 0.
      player: The player to move.
      outcome: As `engine.outcome` codes it.
    """

    def __init__(self, game: Game) -> None:
        self.table = game.table.words
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))
        needed = (self.table[e.T_STATE_SIZE], self.table[e.T_SCRATCH_SIZE], self.num_actions, KEYS_TO_BEGIN_WITH)
        self._work = word_rows(ROWS, -(-int(max(needed)) // e.LANES) * e.LANES)
        self._looks_back = bool(self.table[e.T_THREEFOLD])
        self._earlier = 0
        self.play(BEGIN)

    @property
    def state(self) -> Any:
        """The state, as the engine keeps it."""
        return self._work[STATE][: self.table[e.T_STATE_SIZE]]

    def begin(self) -> None:
        """Begins a new match."""
        self.play(BEGIN)

    def play(self, action: int) -> None:
        """Plays a legal action."""
        if self._looks_back and self._work[STATE][e.QUIET] + 2 > len(self._work[KEYS]):
            self._work = _twice_as_long(self._work)
        self.observation = observation = np.empty(self.shape, np.int8)
        self.masks = masks = np.zeros((COPIES + 1, self.num_actions), np.int8)
        self.player, self.outcome, self._earlier = play_one(self.table, self._work, action, observation, masks)

    def observe(self, player: int) -> np.ndarray:
        """int8 `[C, P]`, the position as a player sees it, whether or not that player is to move."""
        observation = np.empty(self.shape, np.int8)
        observe_one(self.table, self._work, player, self._earlier, observation)
        return observation

    def show(self, state: Any, earlier: int) -> None:
        """Takes over a position, to be observed.

        Args:
          state: As the engine keeps it.
          earlier: How often the position occurred before in the match.
        """
        self._work[STATE][: len(state)] = state
        self._earlier = earlier


def _twice_as_long(rows: Any) -> Any:
    longer = word_rows(ROWS, 2 * len(rows[KEYS]))
    for row, old in zip(longer, rows, strict=True):
        row[: len(old)] = old
    return longer


@kernel
def play_one(t, work, action, observation, masks):
    """Plays an action, or begins; returns the player to move, the outcome and how often the position occurred."""
    p_table, p_work = borrowed(t), borrowed(work)
    p_observation, p_masks = borrowed(observation.reshape(-1)), borrowed(masks)
    s, w, actions = p_work[STATE], p_work[SCRATCH], p_work[ACTIONS]
    if action == BEGIN:
        for index in range(p_table[e.T_STATE_SIZE]):
            s[index] = p_table[p_table[e.T_START] + index]
    else:
        e.apply_action(p_table, s, w, action)
    n = e.legal_actions(p_table, s, w, actions)
    earlier = 0
    if p_table[e.T_THREEFOLD] and s[e.CHAIN] < 0:
        earlier = e.earlier_occurrences(p_table, s, p_work[KEYS])
    result = e.outcome(p_table, s, n, earlier)
    if result == e.ONGOING:
        for copy in range(COPIES):
            for index in range(n):
                p_masks[copy][actions[index]] = 1
    e.observe(p_table, s, earlier, p_observation, 0)
    return s[e.PLAYER], result, earlier


@kernel
def observe_one(t, work, player, earlier, observation):
    """Writes the observation of a position as a player sees it."""
    s = borrowed(work)[STATE]
    mover = s[e.PLAYER]
    s[e.PLAYER] = player
    e.observe(borrowed(t), s, earlier, borrowed(observation.reshape(-1)), 0)
    s[e.PLAYER] = mover
