"""The form in which kernels are given their numbers: arrays when they are compiled, lists and tuples when they are not.

Whether they are compiled is decided here, without importing the compiler.
"""

import os
from importlib.util import find_spec
from typing import Any

import numpy as np

JIT = (
    os.environ.get("ALQUERQUE_JIT", "1") != "0"
    and os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"
    and find_spec("numba") is not None
)
WORD_BITS = 63
_LANES = 8


def constants(values: list[int]) -> Any:
    """Integers in the form that kernels read fastest: an array when compiled, a tuple when not."""
    if not JIT:
        return tuple(values)
    array = _aligned(len(values))
    array[:] = values
    return array


def words(count: int) -> Any:
    """`count` zero words in the form that kernels use fastest: an array when compiled, a list when not."""
    return _aligned(count) if JIT else [0] * count


def word_rows(rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words, likewise."""
    return np.zeros((rows, count), np.int64) if JIT else [[0] * count for _ in range(rows)]


def _aligned(count: int) -> np.ndarray:
    """Zero words that begin at a cache line: lanes that lie across two are written slowly."""
    room = np.zeros(count + _LANES, np.int64)
    first = -(room.ctypes.data // room.itemsize) % _LANES
    return room[first : first + count]
