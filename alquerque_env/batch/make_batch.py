"""Chooses the fastest kind of batch: SIMD or scalar kernels where they are compiled, NumPy elsewhere."""

from ..engine.compiled_parts import ENVIRONMENTS, is_compiled
from ..engine.forms import load_plain, uses_compiled
from ..game import table_layout as TABLE
from ..game.game import Game
from .batch import Batch

# With fewer matches most lanes of a SIMD vector would be empty.
MIN_GAMES = 8


def make_batch(game: Game, num_games: int) -> Batch:
    """Makes a batch of `num_games` matches. Equal seeds give equal matches, whatever kind is chosen."""
    if not uses_compiled(ENVIRONMENTS):
        batch: Batch = load_plain("batch.numpy_batch").NumpyBatch(game, num_games)
        return batch
    from ..engine.simd_table import make_simd_table
    from .scalar_batch import ScalarBatch

    can_use_vectors = num_games >= MIN_GAMES and not game.table.words[TABLE.THREEFOLD]
    if can_use_vectors and (table := make_simd_table(game)) and table.is_fast:
        from .simd_batch import SimdBatch

        return SimdBatch(game, table, num_games)
    return ScalarBatch(game, num_games)


def fastest(batch: Batch) -> Batch:
    """The batch, or a compiled one with the same matches if the kernels have been compiled since it was made."""
    if not batch.is_plain or not is_compiled(ENVIRONMENTS):
        return batch
    compiled = make_batch(batch.game, len(batch.states))
    compiled.states[:], compiled.keys, compiled.rng = batch.states, batch.keys, batch.rng
    compiled.look()
    return compiled
