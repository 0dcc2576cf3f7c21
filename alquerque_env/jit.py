"""Compiles the kernels with Numba where it is installed; the same source runs without it.

A kernel is written for both: words are non-negative integers below 2**63 (`int64` when compiled), and everything it reads
or writes is a sequence of them. Python hands over arrays when compiled and lists or tuples when not; a kernel that is
called from Python borrows its arrays before it hands them on (see `pointers.py`).

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
    import platformdirs
except ImportError:
    JIT = False
else:
    JIT = True

WORD_BITS = 63
_MASK = (1 << WORD_BITS) - 1

if JIT:
    from .pointers import allocate, borrowed, count_bits, lowest_bit, plain_product, plain_sum, release

    def _cache_folder() -> str:
        """A folder for compiled kernels that changes whenever the source of any kernel does.

        Numba's own cache looks at one file only, so a kernel that calls into another file would play old rules.
        """
        source = hashlib.sha256()
        for file in sorted(Path(__file__).parent.rglob("*.py")):
            source.update(file.read_bytes())
        return str(Path(platformdirs.user_cache_dir("alquerque-env")) / "kernels" / source.hexdigest()[:16])

    _CACHE_FOLDER = _cache_folder()

    def _compiled(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = before or _CACHE_FOLDER
        try:
            return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        finally:
            numba.config.CACHE_DIR = before

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Compiles a function on its first call and keeps the result on disk."""
        return _compiled(function)

    def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
        """As `kernel`, but made part of every kernel that calls it."""
        return _compiled(function, forceinline=True)

    @inlined
    def wrapped_product(a, b):
        """Product modulo 2**63."""
        return plain_product(a, b) & _MASK

    @inlined
    def wrapped_sum(a, b):
        """Sum modulo 2**63."""
        return plain_sum(a, b) & _MASK

    @inlined
    def popcount(word):
        """Number of points in a word."""
        return count_bits(word)

    @inlined
    def lowest(word):
        """Lowest point of a word that has one."""
        return lowest_bit(word)

else:

    def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        """Leaves the function as it is."""
        return function

    inlined = kernel

    def borrowed(sequence: Any) -> Any:
        """The same sequence."""
        return sequence

    def allocate(rows: int, count: int) -> list[list[int]]:
        """`rows` rows of `count` words, to be released."""
        return [[0] * count for _ in range(rows)]

    def release(rows: list[list[int]]) -> None:
        """Ends the use of allocated rows."""

    def wrapped_product(a: int, b: int) -> int:
        """Product modulo 2**63."""
        return a * b & _MASK

    def wrapped_sum(a: int, b: int) -> int:
        """Sum modulo 2**63."""
        return a + b & _MASK

    def popcount(word: int) -> int:
        """Number of points in a word."""
        return bin(word).count("1")

    def lowest(word: int) -> int:
        """Lowest point of a word that has one."""
        return (word & -word).bit_length() - 1


def constants(values: list[int]) -> Any:
    """Integers in the form that kernels read fastest: an array when compiled, a tuple when not."""
    return np.array(values, np.int64) if JIT else tuple(values)


def words(count: int) -> Any:
    """`count` zero words in the form that kernels use fastest: an array when compiled, a list when not."""
    return np.zeros(count, np.int64) if JIT else [0] * count


def word_rows(rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words, likewise."""
    return np.zeros((rows, count), np.int64) if JIT else [[0] * count for _ in range(rows)]
