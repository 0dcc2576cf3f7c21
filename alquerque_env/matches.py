"""Chooses how many matches are played in lock-step: compiled where Numba is installed, else by NumPy."""

from . import layout as e
from .columns.table import column_table
from .game import Game
from .lockstep import Lockstep
from .lockstep_numpy import NumpyLockstep
from .storage import JIT

if JIT:
    from .lockstep_columns import ColumnLockstep

Matches = Lockstep | NumpyLockstep

# With fewer matches most of a vector would be empty.
MIN_GAMES = 8


def make_matches(game: Game, num_games: int) -> Matches:
    """`num_games` matches of a game, in the form that is fastest here."""
    if not JIT:
        return NumpyLockstep(game, num_games)
    if num_games >= MIN_GAMES and not game.table.words[e.T_THREEFOLD] and (table := column_table(game)):
        return ColumnLockstep(game, table, num_games)
    return Lockstep(game, num_games)
