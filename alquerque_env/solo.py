"""One match at a time, for environments of one match: what `lockstep.py` does for many, with less ado per step."""

from typing import Any

import numpy as np

from . import engine as e
from .game import Game
from .jit import borrowed, kernel
from .observation import planes
from .storage import words

BEGIN = -1
KEYS_TO_BEGIN_WITH = 64


class Solo:
    """A match of a game.

    Attributes:
      observation: int8 `[C, P]` in the frame of the player to move; a fresh array after every step.
      mask: int8 `[A]`, 1 for legal actions, all 0 when the match has ended; likewise.
      player: The player to move.
      outcome: As `engine.outcome` codes it.
    """

    def __init__(self, game: Game) -> None:
        self.table = game.table.words
        self.num_actions = game.num_actions
        self.shape = (len(planes(game)), len(game.board.points))
        self.state = words(self.table[e.T_STATE_SIZE])
        self._keys = words(KEYS_TO_BEGIN_WITH)
        self._scratch = words(self.table[e.T_SCRATCH_SIZE])
        self._room = words(self.num_actions)
        self._earlier = 0
        self.play(BEGIN)

    def begin(self) -> None:
        """Begins a new match."""
        self.play(BEGIN)

    def play(self, action: int) -> None:
        """Plays a legal action."""
        if self.state[e.QUIET] + 2 > len(self._keys):
            self._keys = _twice_as_long(self._keys)
        self.observation = np.empty(self.shape, np.int8)
        self.mask = np.zeros(self.num_actions, np.int8)
        self.player, self.outcome, self._earlier = play_one(
            self.table, self.state, self._scratch, self._room, self._keys, action, self.observation, self.mask
        )

    def observe(self, player: int) -> np.ndarray:
        """int8 `[C, P]`, the position as a player sees it, whether or not that player is to move."""
        observation = np.empty(self.shape, np.int8)
        observe_one(self.table, self.state, player, self._earlier, observation)
        return observation

    def show(self, state: Any, earlier: int) -> None:
        """Takes over a position, to be observed.

        Args:
          state: As the engine keeps it.
          earlier: How often the position occurred before in the match.
        """
        self.state[:] = state
        self._earlier = earlier


def _twice_as_long(keys: Any) -> Any:
    longer = words(2 * len(keys))
    longer[: len(keys)] = keys
    return longer


@kernel
def play_one(t, s, w, room, keys, action, observation, mask):
    """Plays an action, or begins; returns the player to move, the outcome and how often the position occurred."""
    p_table, p_state, p_room, p_keys = borrowed(t), borrowed(s), borrowed(room), borrowed(keys)
    p_w, p_observation, p_mask = borrowed(w), borrowed(observation.reshape(-1)), borrowed(mask)
    if action == BEGIN:
        for index in range(p_table[e.T_STATE_SIZE]):
            p_state[index] = p_table[p_table[e.T_START] + index]
    else:
        e.apply_action(p_table, p_state, p_w, action)
    n = e.legal_actions(p_table, p_state, p_w, p_room)
    earlier = 0
    if p_table[e.T_THREEFOLD] and p_state[e.CHAIN] < 0:
        earlier = e.earlier_occurrences(p_table, p_state, p_keys)
    result = e.outcome(p_table, p_state, n, earlier)
    if result == e.ONGOING:
        for index in range(n):
            p_mask[p_room[index]] = 1
    e.observe(p_table, p_state, earlier, p_observation, 0)
    return p_state[e.PLAYER], result, earlier


@kernel
def observe_one(t, s, player, earlier, observation):
    """Writes the observation of a position as a player sees it."""
    p_state = borrowed(s)
    mover = p_state[e.PLAYER]
    p_state[e.PLAYER] = player
    e.observe(borrowed(t), p_state, earlier, borrowed(observation.reshape(-1)), 0)
    p_state[e.PLAYER] = mover
