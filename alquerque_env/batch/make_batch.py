"""Makes a batch: of NumPy arrays, or of PyTorch's tensors if asked for."""

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import AlquerqueError, UnknownNameError, require
from ..game.game import Game
from ..game.kernel_arrays import JIT
from .batch import Batch

BACKENDS = AUTO, TORCH = "auto", "torch"


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
    if not JIT:
        _tell_slow()
    return Batch(game, num_games)


@cache
def _tell_slow() -> None:
    """Says once in a process that batches are slow, and why."""
    remedy = "let Numba compile" if find_spec("numba") else "pip install 'alquerque-env[fast]'"
    warnings.warn(f"batches run as plain Python, a hundred times slower than compiled: {remedy}", RuntimeWarning, 3)
