"""The steps that either player could make in an observed position, if it were to move."""

import numpy as np

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from . import rules_scalar as rules
from .compiler import allocate, entry_kernel, release
from .kernel_types import Table, Words


@entry_kernel
def mark_steps(t: Table, observation: Words, count: int, masks: Words) -> None:
    """Writes to `masks` 1 for each step of the player to move, then of the opponent, of `count` flat observations."""
    state = allocate(1, t[TABLE.STATE_SIZE])
    choices = allocate(1, t[TABLE.NUM_ACTIONS])
    scratch = allocate(1, t[TABLE.SCRATCH_SIZE])
    s = state[0]
    size, actions = t[TABLE.NUM_PLANES] * t[TABLE.POINTS], t[TABLE.NUM_ACTIONS]
    last = t[TABLE.PLANES] + TABLE.PLANE_SIZE * (t[TABLE.NUM_PLANES] - 1)
    for row in range(count):
        rules.recall(t, observation, row * size, s)
        if t[last + TABLE.PLANE_KIND] == TABLE.PLANE_PLAYER:  # in the start position this may be the other player
            s[STATE.PLAYER] = int(observation[(row + 1) * size - 1])
        chain, captured, barred = s[STATE.CHAIN], s[STATE.CAPTURED], s[STATE.BARRED]
        ahead = s[t[TABLE.AHEAD]] if t[TABLE.MUST_TURN] else 0
        is_scheduled = t[TABLE.STAGES] > 0 and s[t[TABLE.STAGE]] < t[TABLE.STAGES]
        for turn in range(1 if is_scheduled else 2):
            player = s[STATE.PLAYER]
            is_own = chain >= 0 and ((s[STATE.MEN + player] | s[STATE.KINGS + player]) >> max(chain, 0)) & 1 == 1
            s[STATE.CHAIN] = chain if is_own else STATE.NO_POINT
            s[STATE.CAPTURED] = captured if is_own else 0
            s[STATE.BARRED] = barred if is_own else 0
            if t[TABLE.MUST_TURN]:
                s[t[TABLE.AHEAD]] = ahead if is_own else 0
            n = rules.legal_actions(t, s, scratch[0], choices[0])
            for index in range(n):
                masks[(2 * row + turn) * actions + choices[0][index]] = 1
            s[STATE.PLAYER] = 1 - player
    release(state)
    release(choices)
    release(scratch)


class BothMasks:
    """The steps of both players in observed positions of a game."""

    def __init__(self, game: Game) -> None:
        self._table, self._actions = game.table.words, game.num_actions
        self._shape = len(game.planes), len(game.board.points)

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """Returns the steps of both players, each in the frame of the one who would step.

        Args:
          planes: int8 `[N, C, P]`, observations.

        Returns:
          int8 `[N, 2, A]`: 1 where the observer can step if it is to move, and where the opponent could. In the middle
          of a chain the other player could step as if it had ended, its victims still on the board. The opponent has no
          step while a schedule says who plays what.
        """
        flat = check_array("planes", planes, "int8", ("N", *self._shape)).reshape(-1)
        masks = np.zeros((len(planes), 2, self._actions), np.int8)
        mark_steps(self._table, flat, len(planes), masks.reshape(-1))
        return masks
