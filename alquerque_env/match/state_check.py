"""Checks states from outside, since kernels check no bounds."""

from typing import Any

import numpy as np

from ..engine.kernel_types import Table
from ..errors import AlquerqueError, PositionError
from ..game import table_layout as e
from ..game.array_check import check_array
from ..game.game import Game
from .position_text import points_of, unpromoted_men


def bounds(t: Table) -> dict[str, tuple[int, int, int]]:
    """For each field of a state, in their order, its first place, and the least and most of each of its words."""
    unlimited = np.iinfo(np.int64).max if t[e.T_COUNTS_QUIET] else 0
    return {
        "men": (e.MEN, 0, t[e.T_ALL_POINTS]),
        "kings": (e.KINGS, 0, t[e.T_ALL_POINTS]),
        "player": (e.PLAYER, 0, 1),
        "chain": (e.CHAIN, e.NO_POINT, t[e.T_POINTS] - 1),
        "quiet": (e.QUIET, 0, t[e.T_NO_PROGRESS_LIMIT] or unlimited),
        "captured": (e.CAPTURED, 0, t[e.T_ALL_POINTS]),
        "barred": (e.BARRED, 0, t[e.T_ALL_POINTS]),
        "memory": (e.MEMORY, 0, t[e.T_ALL_POINTS]),
        "memory_points": (e.MEMORY_POINTS, 0, t[e.T_ALL_POINTS]),
    }


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
    size = int(t[e.T_STATE_SIZE])
    known = check_array("states", states, "int64", ("N", size), error)
    least, most = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for place, low, high in bounds(t).values():
        least[place:], most[place:] = low, high
    pieces = known[:, : e.PLAYER]
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
