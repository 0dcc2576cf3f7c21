"""Chooses a kind of batch: SIMD or scalar kernels where they are compiled, NumPy elsewhere; PyTorch if asked for."""

from importlib import import_module
from typing import Any

from ..engine.compiled_parts import ENVIRONMENTS, is_compiled
from ..engine.forms import load_plain, uses_compiled
from ..errors import AlquerqueError, UnknownNameError, require
from ..game.game import Game
from .batch import Batch

BACKENDS = AUTO, TORCH = "auto", "torch"

# With fewer matches most lanes of a SIMD vector would be empty.
MIN_GAMES = 8


def make_batch(game: Game, num_games: int, backend: str = AUTO, device: Any = "cpu") -> Batch:
    """Makes a batch of `num_games` matches. Equal seeds give equal matches, whatever kind is chosen.

    Args:
      game: The game.
      num_games: Number of matches.
      backend: "auto" for NumPy arrays; "torch" for PyTorch tensors.
      device: Where the tensors of "torch" are.

    Raises:
      UnknownNameError: If there is no such backend.
      AlquerqueError: If the device is not there.
      RulesError: If the rules cannot be played by the backend.
      MissingExtraError: If PyTorch is not installed.
    """
    if backend not in BACKENDS:
        raise UnknownNameError("backend", backend, BACKENDS)
    batch: Batch
    if backend == TORCH:
        require("torch", "train")
        torch_batch = import_module(f"{__package__}.torch_batch")
        batch = torch_batch.TorchBatch(game, num_games, torch_batch.as_device(device))
        return batch
    if device != "cpu":
        raise AlquerqueError(f"device is {device!r}: only the backend 'torch' plays on other devices than 'cpu'")
    if game.board.is_wide and (batch := load_plain("batch.wide_batch").make_wide_batch(game, num_games)):
        return batch
    if not uses_compiled(ENVIRONMENTS, game):
        batch = load_plain("batch.numpy_batch").NumpyBatch(game, num_games)
        return batch
    from ..engine.simd_table import make_simd_table
    from .scalar_batch import ScalarBatch

    if num_games >= MIN_GAMES and (table := make_simd_table(game)) and table.is_fast:
        from .simd_batch import SimdBatch

        return SimdBatch(game, table, num_games)
    return ScalarBatch(game, num_games)


def fastest(batch: Batch) -> Batch:
    """The batch, or a compiled one with the same matches if the kernels have been compiled since it was made."""
    if not batch.is_plain or batch.game.board.is_wide or not is_compiled(ENVIRONMENTS):
        return batch
    compiled = make_batch(batch.game, batch.num_games)
    compiled.set(batch.states, batch.keys, batch.rng)
    return compiled
