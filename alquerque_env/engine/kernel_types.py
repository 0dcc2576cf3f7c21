"""Kernels that only other kernels call, and the types of the sequences that kernels read and write.

Compiled kernels take arrays and hand pointers on; without Numba the same sequences are lists and tuples.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])


class Read(Protocol[T_co]):
    """A sequence that is only read, whose length is not known where a pointer is handed on."""

    def __getitem__(self, index: int, /) -> T_co: ...
    def __len__(self) -> int: ...


class Written(Read[T], Protocol[T]):
    """A sequence that may be overwritten."""

    def __setitem__(self, index: int, value: T, /) -> None: ...


Table: TypeAlias = Read[int]
"""Such as a step table, or a state that is not changed."""
Words: TypeAlias = Written[int]
"""Integers below 2**63: a state, scratch space, a list of actions."""
Reals: TypeAlias = Written[float]
Rows: TypeAlias = Read[Words]
"""Such as the states of several matches."""
RealRows: TypeAlias = Read[Reals]

Vector: TypeAlias = Any
"""One integer for each of many matches: a tensor `[B]`."""

Vectors: TypeAlias = Any
"""Rows of such vectors, `[rows, B]`."""

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

INLINED: dict[Callable[..., Any], bool] = {}
"""The kernels that only kernels call, and whether each is compiled into those that call it."""


def kernel(function: F) -> F:
    """Marks a function that only other kernels call."""
    INLINED[function] = False
    return function


def inlined(function: F) -> F:
    """As `kernel`, but compiled into every kernel that calls it."""
    INLINED[function] = True
    return function


class _Rows:
    """Rows of numbers as memory views."""

    def __init__(self, array: Any) -> None:
        self._numbers, self._count, self._length = memoryview(array.reshape(-1)), len(array), array.shape[1]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, row: int) -> Any:
        return self._numbers[row * self._length : (row + 1) * self._length]


def borrowed(sequence: T) -> T:
    """Pointers to the numbers of an array, or of a named tuple of arrays; numbers in it stay.

    In plain Python these are memory views, except of bytes, which are written in slices, and of Python's integers.
    """
    found: Any = sequence
    if isinstance(sequence, np.ndarray):
        if sequence.dtype != object and sequence.dtype.itemsize > 1:
            found = memoryview(found) if sequence.ndim == 1 else _Rows(found)
    elif isinstance(sequence, tuple) and hasattr(sequence, "_fields"):
        found = type(sequence)(*map(borrowed, sequence))
    return found
