"""Chooses how many matches are played in lock-step: compiled where Numba is installed, else by NumPy."""

from .game import Game
from .lockstep import Lockstep
from .lockstep_numpy import NumpyLockstep
from .storage import JIT

Matches = Lockstep | NumpyLockstep


def make_matches(game: Game, num_games: int) -> Matches:
    """`num_games` matches of a game, in the form that is fastest here."""
    return Lockstep(game, num_games) if JIT else NumpyLockstep(game, num_games)
