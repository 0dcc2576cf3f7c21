"""Chooses how many matches are played in lock-step: compiled where Numba is installed, else by NumPy."""

from ..engine.simd_table import column_table
from ..game import table_layout as e
from ..game.game import Game
from ..game.kernel_arrays import JIT
from .numpy_batch import NumpyLockstep
from .scalar_batch import Lockstep

Matches = Lockstep | NumpyLockstep

# With fewer matches most of a vector would be empty.
MIN_GAMES = 8


def make_matches(game: Game, num_games: int) -> Matches:
    """`num_games` matches of a game, in the form that is fastest here."""
    if not JIT:
        return NumpyLockstep(game, num_games)
    from .simd_batch import ColumnLockstep

    if num_games >= MIN_GAMES and not game.table.words[e.T_THREEFOLD] and (table := column_table(game)):
        return ColumnLockstep(game, table, num_games)
    return Lockstep(game, num_games)
