"""Arrays for kernels: NumPy arrays for compiled kernels, lists and tuples for kernels that run as plain Python.

`JIT` says whether kernels are compiled; finding that out does not import Numba. `engine/forms.py` loads this module a
second time, with the kernels that run as plain Python beside compiled ones.
"""

import math
import os
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np

PLAIN = f"{__name__.partition('.')[0]}.plain"
"""The package of the modules that `engine/forms.py` loads a second time."""
JIT = (
    not __name__.startswith(PLAIN)
    and os.environ.get("ALQUERQUE_JIT", "1") != "0"
    and os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"
    and find_spec("numba") is not None
)
WORD_BITS = 63
CACHE_LINE = 64  # bytes


def constants(values: list[int]) -> Any:
    """Integers that kernels read: an array if kernels are compiled, else a tuple."""
    return _array(values) if JIT else tuple(values)


def step_words(table: Any) -> Any:
    """The words of a `StepTable`, as `constants` gives them."""
    return table.words if JIT else table.plain_words


def words(count: int) -> Any:
    """`count` zero words that kernels write: an array if kernels are compiled, else a list."""
    return aligned((count,), np.int64) if JIT else [0] * count


def copied(values: Iterable[int]) -> Any:
    """Words that kernels write, with these values at first."""
    plain = [int(value) for value in values]
    return _array(plain) if JIT else plain


def word_rows(rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words that kernels write."""
    return aligned((rows, count), np.int64) if JIT else [[0] * count for _ in range(rows)]


def _array(values: list[int]) -> np.ndarray:
    array = aligned((len(values),), np.int64)
    array[:] = values
    return array


def aligned(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros that begin at a cache line, because lanes across two cache lines are slow to write."""
    count = math.prod(shape)
    room = np.zeros(count + CACHE_LINE // np.dtype(kind).itemsize, kind)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[first : first + count].reshape(shape)
