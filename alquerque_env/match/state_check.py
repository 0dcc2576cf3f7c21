"""Checks states from outside, since kernels check no bounds."""

from typing import Any

import numpy as np

from ..engine.kernel_types import Table
from ..errors import AlquerqueError, PositionError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array, python_number
from ..game.game import Game
from .position_text import Words, closed_whole, points_of, schedule_plies, unpromoted_men


def bounds(t: Table) -> dict[str, tuple[int, int, int]]:
    """For each field of a state, in their order, its first place, and the least and most of each of its words."""
    unlimited = np.iinfo(np.int64).max if t[TABLE.COUNTS_QUIET] else 0
    found = {
        "men": (STATE.MEN, 0, t[TABLE.ALL_POINTS]),
        "kings": (STATE.KINGS, 0, t[TABLE.ALL_POINTS]),
        "player": (STATE.PLAYER, 0, 1),
        "chain": (STATE.CHAIN, STATE.NO_POINT, t[TABLE.POINTS] - 1),
        "quiet": (STATE.QUIET, 0, t[TABLE.NO_PROGRESS_LIMIT] or unlimited),
        "captured": (STATE.CAPTURED, 0, t[TABLE.ALL_POINTS]),
        "barred": (STATE.BARRED, 0, t[TABLE.ALL_POINTS]),
        "memory": (STATE.MEMORY, 0, t[TABLE.ALL_POINTS]),
        "memory_points": (STATE.MEMORY_POINTS, 0, t[TABLE.ALL_POINTS]),
    }
    if stages := t[TABLE.STAGES]:
        found |= {"stage": (t[TABLE.STAGE], 0, stages), "hand": (t[TABLE.HAND], 0, stages)}
    if t[TABLE.NUM_PARTS]:
        found["closed"] = (t[TABLE.CLOSED], 0, t[TABLE.ALL_POINTS])
    if t[TABLE.MUST_TURN]:
        found["ahead"] = t[TABLE.AHEAD], 0, t[TABLE.ALL_POINTS]
    return found


def check_states(game: Game, states: Any, error: type[AlquerqueError] = PositionError) -> np.ndarray:
    """Returns states of the engine as kernels take them, int64 `[N, S]`, or Python's integers for a wide board.

    Args:
      game: The game.
      states: Integers `[N, S]`, each row as `Match.state`.
      error: The error to raise.

    Raises:
      AlquerqueError: If these are not integers of this shape, or if a row has a point outside the board, two pieces on
        one point, a man who would have been promoted, a piece on a closed point, or a player, a chain, a clock, a hand
        or closed points that cannot be.
    """
    t = game.table.words
    size = int(t[TABLE.STATE_SIZE])
    is_wide = game.board.is_wide
    known = _integers(states, size, error) if is_wide else check_array("states", states, "int64", ("N", size), error)
    least, most = np.zeros((2, size), known.dtype)
    for place, low, high in bounds(t).values():
        least[place:], most[place:] = low, high
    pieces = known[:, : STATE.PLAYER]
    are_apart = np.bitwise_xor.reduce(pieces, 1) == pieces.sum(1)
    is_sound = are_apart & ((known >= least) & (known <= most)).all(1) & _keeps_schedule(t, known)
    if t[TABLE.NUM_PARTS]:
        closed = known[:, t[TABLE.CLOSED]]
        is_sound &= (closed_whole(t, closed) == closed) & (np.bitwise_or.reduce(pieces, 1) & closed == 0)
    if not is_sound.all():
        raise error(f"row {int(np.argmin(is_sound))} of the states is not a position of {game.name}")
    late = unpromoted_men(t, known.T)
    if np.any(late):
        row = int(np.argmax(late != 0))
        label = game.board.labels[next(points_of(int(late[row])))]
        raise error(f"row {row} of the states has a man on {label}, who would have been promoted there")
    return known


def _integers(states: Any, size: int, error: type[AlquerqueError]) -> np.ndarray:
    """States as Python's integers `[N, S]`, for a board with more points than a word has bits."""
    known = np.array(states, object)
    if known.ndim != 2 or known.shape[1] != size:
        raise error(f"states are {list(known.shape)}, expected integers [N, {size}]")
    known[:] = [[python_number(word) for word in row] for row in known]
    if not all(type(word) is int for word in known.flat):
        raise error(f"states are {list(known.shape)} with something else than integers, expected integers [N, {size}]")
    return known


def _keeps_schedule(t: Words, known: np.ndarray) -> np.ndarray:
    """Whether the player to move and the hands of each state, a row, are those of its ply of the schedule."""
    stages = t[TABLE.STAGES]
    if not stages:
        return np.ones(len(known), bool)
    played = known[:, t[TABLE.STAGE]].clip(0, stages).astype(np.int64)
    plies = np.array([*schedule_plies(t), (0, 0, 0)])[played]
    hands = known[:, t[TABLE.HAND] : t[TABLE.HAND] + 2]
    return ((known[:, STATE.PLAYER] == plies[:, 0]) | (played == stages)) & (hands == plies[:, 1:]).all(1)
