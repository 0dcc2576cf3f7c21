"""What each legal step of an observed position gains in pieces, once the captures that follow it are played out."""

import numpy as np

from ..game.game import Game
from ..game.kernel_arrays import JIT
from ..game.planes import planes as game_planes
from .quiescence_kernels import CODES, EVEN, ILLEGAL, MOST, weigh

__all__ = ["CODES", "EVEN", "ILLEGAL", "MOST", "MOST_TURNS", "Gains"]

MOST_TURNS = 4
"""So many turns are tried in full at most: each takes about three times as long as one less."""


class Gains:
    """Gains and losses of all steps of observed positions.

    Args:
      game: What is played.
    """

    def __init__(self, game: Game) -> None:
        self._table = game.table.words
        self._actions = game.num_actions
        self._shape = len(game_planes(game)), len(game.board.points)

    def __call__(self, planes: np.ndarray, turns: int = 0) -> np.ndarray:
        """Codes of steps, in the frame of the player to move.

        Args:
          planes: int8 `[R, C, P]`, observations.
          turns: Turns that are tried in full after each step, before only captures are; up to `MOST_TURNS`.

        Returns:
          int8 `[R, A]`: `ILLEGAL`, or `EVEN` and the pieces that a step gains, -`MOST` to `MOST`.

        Raises:
          ValueError: If the planes are those of another game.
        """
        if planes.shape[1:] != self._shape:
            raise ValueError(f"planes have the shape {planes.shape[1:]}, those of this game have {self._shape}")
        codes = np.zeros((len(planes), self._actions), np.int8)
        flat = np.ascontiguousarray(planes, np.int8).reshape(-1)
        if JIT:
            weigh(self._table, flat, len(planes), turns, codes.reshape(-1))
        else:
            found = [0] * codes.size
            weigh(self._table, flat.tolist(), len(planes), turns, found)
            codes[:] = np.reshape(found, codes.shape)
        return codes
