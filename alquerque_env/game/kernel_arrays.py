"""The form in which kernels are given their numbers: arrays when they are compiled, lists and tuples when they are not.

Whether they are compiled is decided here, without importing the compiler.
"""

import math
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
CACHE_LINE = 64  # bytes


def constants(values: list[int]) -> Any:
    """Integers in the form that kernels read fastest: an array when compiled, a tuple when not."""
    if not JIT:
        return tuple(values)
    array = aligned((len(values),), np.int64)
    array[:] = values
    return array


def words(count: int) -> Any:
    """`count` zero words in the form that kernels use fastest: an array when compiled, a list when not."""
    return aligned((count,), np.int64) if JIT else [0] * count


def word_rows(rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words, likewise."""
    return aligned((rows, count), np.int64) if JIT else [[0] * count for _ in range(rows)]


def aligned(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros that begin at a cache line: lanes that lie across two are written slowly."""
    count = math.prod(shape)
    room = np.zeros(count + CACHE_LINE // np.dtype(kind).itemsize, kind)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[first : first + count].reshape(shape)
