"""Kernels that only other kernels call, and how kernels reach the numbers of arrays."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

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
