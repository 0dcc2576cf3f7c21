"""Checks states from outside, since kernels check no bounds."""

from typing import Any

import numpy as np

from ..errors import AlquerqueError, PositionError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from .position_text import points_of, unpromoted_men


def check_states(game: Game, states: Any, error: type[AlquerqueError] = PositionError) -> np.ndarray:
    """Returns states of the engine as kernels take them, int64 `[N, S]`.

    Args:
      game: The game.
      states: Integers `[N, S]`, each row as `Match.state`.
      error: The error to raise.

    Raises:
      AlquerqueError: If these are not integers of this shape, or if a row has a point outside the board, two pieces on
        one point, a man who would have been promoted, or a player, a chain or a clock that cannot be.
    """
    t = game.table.words
    size = int(t[TABLE.STATE_SIZE])
    known = check_array("states", states, "int64", ("N", size), error)
    least, most = np.zeros(size, np.int64), np.full(size, t[TABLE.ALL_POINTS], np.int64)
    least[STATE.CHAIN] = STATE.NO_POINT
    unlimited = np.iinfo(np.int64).max if t[TABLE.COUNTS_QUIET] else 0
    most[STATE.PLAYER], most[STATE.CHAIN], most[STATE.QUIET] = (
        1,
        t[TABLE.POINTS] - 1,
        t[TABLE.NO_PROGRESS_LIMIT] or unlimited,
    )
    pieces = known[:, : STATE.PLAYER]
    are_apart = np.bitwise_xor.reduce(pieces, 1) == pieces.sum(1)
    is_sound = are_apart & ((known >= least) & (known <= most)).all(1)
    if not is_sound.all():
        raise error(f"row {int(np.argmin(is_sound))} of the states is not a position of {game.name}")
    late = unpromoted_men(t, known.T)
    if np.any(late):
        row = int(np.argmax(late != 0))
        label = game.board.labels[next(points_of(int(late[row])))]
        raise error(f"row {row} of the states has a man on {label}, who would have been promoted there")
    return known
