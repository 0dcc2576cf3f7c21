"""Checks states from outside, since kernels check no bounds."""

from typing import Any

import numpy as np

from ..errors import AlquerqueError, PositionError
from ..game import table_layout as e
from ..game.array_check import check_array
from ..game.game import Game


def check_states(game: Game, states: Any, error: type[AlquerqueError] = PositionError) -> np.ndarray:
    """Returns states of the engine as kernels take them, int64 `[N, S]`.

    Args:
      game: The game.
      states: Integers `[N, S]`, each row as `Match.state`.
      error: The error to raise.

    Raises:
      AlquerqueError: If these are not integers of this shape, or if a row has a point outside the board, two pieces on
        one point, or a player, a chain or a clock that cannot be.
    """
    t = game.table.words
    known = check_array("states", states, "int64", ("N", int(t[e.T_STATE_SIZE])), error)
    pieces, marks = known[:, : e.PLAYER], known[:, e.CAPTURED :]
    players, chains, clocks = known[:, e.PLAYER], known[:, e.CHAIN], known[:, e.QUIET]
    points = np.bitwise_or.reduce(pieces, 1) | np.bitwise_or.reduce(marks, 1)
    is_sound = (
        (points & ~int(t[e.T_ALL_POINTS]) == 0)
        & (np.bitwise_xor.reduce(pieces, 1) == pieces.sum(1))
        & ((players == 0) | (players == 1))
        & (chains >= e.NO_POINT)
        & (chains < int(t[e.T_POINTS]))
        & (clocks >= 0)
    )
    if not is_sound.all():
        raise error(f"row {int(np.argmin(is_sound))} of the states is not a position of {game.name}")
    return known
