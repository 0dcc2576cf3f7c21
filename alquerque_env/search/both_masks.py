"""The steps that either player could make in an observed position, if it were to move."""

from typing import Any

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import allocate, borrowed, entry_kernel, kernel, release
from ..engine.kernel_types import Table, Words
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.planes import planes as game_planes


@entry_kernel
def mark_steps(t: Any, observation: Any, count: int, masks: Any) -> None:
    """Writes to `masks` 1 for each step of the player to move, then of the opponent, of `count` flat observations."""
    _mark_steps(borrowed(t), borrowed(observation), count, borrowed(masks))


@kernel
def _mark_steps(t: Table, observation: Words, count: int, masks: Words) -> None:
    state = allocate(1, t[TABLE.STATE_SIZE])
    choices = allocate(1, t[TABLE.NUM_ACTIONS])
    scratch = allocate(1, t[TABLE.SCRATCH_SIZE])
    s = state[0]
    size, actions = t[TABLE.NUM_PLANES] * t[TABLE.POINTS], t[TABLE.NUM_ACTIONS]
    for row in range(count):
        rules.recall(t, observation, row * size, s)
        for turn in range(2):
            place = (2 * row + turn) * actions
            n = rules.legal_actions(t, s, scratch[0], choices[0])
            for action in range(actions):
                masks[place + action] = 0
            for index in range(n):
                masks[place + choices[0][index]] = 1
            s[STATE.PLAYER] = 1 - s[STATE.PLAYER]
            s[STATE.CHAIN] = STATE.NO_POINT
            s[STATE.CAPTURED] = s[STATE.BARRED] = 0
    release(state)
    release(choices)
    release(scratch)


class BothMasks:
    """The steps of both players in observed positions of a game."""

    def __init__(self, game: Game) -> None:
        self._game, self._table = game, game.table.words
        self._shape = len(game_planes(game)), len(game.board.points)

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """int8 `[R, 2, A]` for int8 `[R, C, P]` observations: 1 where the mover, and the opponent, could step.

        Each in the frame of the player who would step. In the middle of a chain the opponent could step as if it had
        ended, but for pieces that have not been removed.
        """
        flat = check_array("planes", planes, "int8", ("R", *self._shape)).reshape(-1)
        masks = np.zeros((len(planes), 2, self._game.num_actions), np.int8)
        mark_steps(self._table, flat, len(planes), masks.reshape(-1))
        return masks
