"""Kernels that only other kernels call, and the types of the sequences that kernels read and write.

Compiled kernels take arrays and hand pointers on; without Numba the same sequences are lists and tuples.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np


class Table(Protocol):
    """Integers that are only read: a step table, or a state that is not changed."""

    def __getitem__(self, index: int, /) -> int:
        """The integer at an index."""

    def __len__(self) -> int:
        """Number of integers; not known where a pointer is handed on."""


class Words(Table, Protocol):
    """Integers below 2**63 that may be overwritten: a state, scratch space, a list of actions."""

    def __setitem__(self, index: int, value: int, /) -> None:
        """Overwrites an integer."""


class Reals(Protocol):
    """Floats that may be overwritten."""

    def __getitem__(self, index: int, /) -> float:
        """The float at an index."""

    def __setitem__(self, index: int, value: float, /) -> None:
        """Overwrites a float."""


class Rows(Protocol):
    """Rows of integers, such as the states of several matches."""

    def __getitem__(self, index: int, /) -> Words:
        """A row."""

    def __len__(self) -> int:
        """Number of rows; not known where a pointer is handed on."""


class RealRows(Protocol):
    """Rows of floats."""

    def __getitem__(self, index: int, /) -> Reals:
        """A row."""

    def __len__(self) -> int:
        """Number of rows; not known where a pointer is handed on."""


Vector: TypeAlias = Any
"""One integer for each of many matches: a tensor `[B]`."""

Vectors: TypeAlias = Any
"""Rows of such vectors, `[rows, B]`."""

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

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
