"""Chooses the fastest kind of batch: SIMD or scalar kernels where Numba is installed, NumPy where it is not."""

from ..engine.simd_table import make_simd_table
from ..game import table_layout as e
from ..game.game import Game
from ..game.kernel_arrays import JIT
from .batch import Batch
from .numpy_batch import NumpyBatch
from .scalar_batch import ScalarBatch

# With fewer matches most lanes of a SIMD vector would be empty.
MIN_GAMES = 8


def make_batch(game: Game, num_games: int) -> Batch:
    """Makes a batch of `num_games` matches. Equal seeds give equal matches, whatever kind is chosen."""
    if not JIT:
        return NumpyBatch(game, num_games)
    if num_games >= MIN_GAMES and not game.table.words[e.T_THREEFOLD] and (table := make_simd_table(game)):
        from .simd_batch import SimdBatch

        return SimdBatch(game, table, num_games)
    return ScalarBatch(game, num_games)
