"""Compiles the kernels with Numba where it is installed; the same source runs without it.

A kernel is written for both: words are non-negative integers below 2**63 (`int64` when compiled), tables are indexed and
read by attribute (arrays of records when compiled, tuples of named tuples when not).

Set `ALQUERQUE_JIT=0` to run the plain source although Numba is installed.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

try:
    if os.environ.get("ALQUERQUE_JIT", "1") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") == "1":
        raise ImportError
    import numba
    from numba.core import types
    from numba.extending import intrinsic
except ImportError:
    JIT = False
else:
    JIT = True

WORD_BITS = 63


if JIT:
    import platformdirs

    def _cache_folder() -> str:
        """A folder for compiled kernels that changes whenever the source of any kernel does.

        Numba's own cache looks at one file only, so a kernel that calls into another file would play old rules.
        """
        source = hashlib.sha256()
        for file in sorted(Path(__file__).parent.rglob("*.py")):
            source.update(file.read_bytes())
        return str(Path(platformdirs.user_cache_dir("alquerque-env")) / "kernels" / source.hexdigest()[:16])

    _CACHE_FOLDER = _cache_folder()

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Compiles a function on its first call and keeps the result on disk."""
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = before or _CACHE_FOLDER
        try:
            return numba.njit(cache=True, nogil=True, boundscheck=False)(function)
        finally:
            numba.config.CACHE_DIR = before

    @intrinsic
    def _ctpop(typing_context, word):
        def emit(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.int64), emit

    @intrinsic
    def _cttz(typing_context, word):
        def emit(context, builder, signature, args):
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), emit

    @kernel
    def popcount(word):
        """Number of points in a word."""
        return _ctpop(word)

    @kernel
    def lowest(word):
        """Lowest point of a word that has one."""
        return _cttz(word)

    @kernel
    def new_words(count):
        """`count` zero words."""
        return np.zeros(count, np.int64)

    @kernel
    def new_rows(rows, count):
        """`rows` rows of `count` zero words."""
        return np.zeros((rows, count), np.int64)

else:

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Leaves the function as it is."""
        return function

    def popcount(word: int) -> int:
        """Number of points in a word."""
        return bin(word).count("1")

    def lowest(word: int) -> int:
        """Lowest point of a word that has one."""
        return (word & -word).bit_length() - 1

    def new_words(count: int) -> list[int]:
        """`count` zero words."""
        return [0] * count

    def new_rows(rows: int, count: int) -> list[list[int]]:
        """`rows` rows of `count` zero words."""
        return [[0] * count for _ in range(rows)]


def records(kind: type, rows: list) -> Any:
    """Rows of a named tuple of integers in the form that kernels read fastest: records when compiled, tuples when not."""
    if not JIT:
        return tuple(rows)
    array = np.zeros(len(rows), np.dtype([(name, np.int64) for name in kind._fields]))
    for index, row in enumerate(rows):
        array[index] = tuple(row)
    return array


def integers(values: list[int]) -> Any:
    """Integers in the form that kernels read fastest: an array when compiled, a tuple when not."""
    return np.array(values, np.int64) if JIT else tuple(values)
