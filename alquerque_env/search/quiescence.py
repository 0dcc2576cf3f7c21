"""Search features: the material swing of each legal step of an observed position, by a shallow search."""

import numpy as np

from ..game.array_check import check_array
from ..game.game import Game
from ..game.kernel_arrays import JIT, step_words
from ..game.planes import planes as game_planes
from .quiescence_kernels import CODES, EVEN, ILLEGAL, MOST, code_steps

__all__ = ["CODES", "EVEN", "ILLEGAL", "MAX_DEPTH", "MOST", "SearchFeatures"]

MAX_DEPTH = 4
"""The greatest depth in turns. One more turn takes about three times as long."""


class SearchFeatures:
    """Material swings of all steps of observed positions of a game."""

    def __init__(self, game: Game) -> None:
        self._table = step_words(game.table)
        self._actions = game.num_actions
        self._shape = len(game_planes(game)), len(game.board.points)

    def __call__(self, planes: np.ndarray, depth: int = 0) -> np.ndarray:
        """Codes of steps, in the frame of the player to move.

        Args:
          planes: int8 `[R, C, P]`, observations.
          depth: Turns that are searched in full after each step, before captures only; up to `MAX_DEPTH`.

        Returns:
          int8 `[R, A]`: `ILLEGAL`, or `EVEN` plus the material swing, between -`MOST` and `MOST`.

        Raises:
          AlquerqueError: If the planes are of another type, or of the shape of another game's.
        """
        flat = check_array("planes", planes, "int8", ("R", *self._shape)).reshape(-1)
        codes = np.zeros((len(planes), self._actions), np.int8)
        if JIT:
            code_steps(self._table, flat, len(planes), depth, codes.reshape(-1))
        else:
            found = [0] * codes.size
            code_steps(self._table, flat.tolist(), len(planes), depth, found)
            codes[:] = np.reshape(found, codes.shape)
        return codes
