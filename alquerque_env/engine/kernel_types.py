"""Types of the sequences that kernels read and write.

Compiled kernels take arrays and hand pointers on; without Numba the same sequences are lists and tuples.
"""

from typing import Any, Protocol, TypeAlias

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
