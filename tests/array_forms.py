"""Arrays as they may come from outside: the same numbers in every layout, and in types that do not fit."""

from collections.abc import Callable, Mapping

import numpy as np


def fortran(array: np.ndarray) -> np.ndarray:
    """The last axis varies slowest."""
    return np.asfortranarray(array)


def strided(array: np.ndarray) -> np.ndarray:
    """Every other number of a larger array."""
    room = np.zeros([2 * length for length in array.shape], array.dtype)
    part = room[tuple(slice(None, None, 2) for _ in array.shape)]
    part[...] = array
    return part


def backwards(array: np.ndarray) -> np.ndarray:
    """Negative strides."""
    turn = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turn])[turn]


def read_only(array: np.ndarray) -> np.ndarray:
    """Cannot be written."""
    closed = array.copy()
    closed.flags.writeable = False
    return closed


def unaligned(array: np.ndarray) -> np.ndarray:
    """Begins one byte after an address where its numbers could begin."""
    room = np.zeros(array.nbytes + 1, np.uint8)
    part = np.frombuffer(room.data, array.dtype, array.size, offset=1).reshape(array.shape)
    part[...] = array
    return part


LAYOUTS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    each.__name__: each for each in (fortran, strided, backwards, read_only, unaligned)
}


def with_wrong_types(array: np.ndarray) -> list[np.ndarray]:
    """The same numbers in types that hold no integers, or not in the byte order of the machine."""
    others = array.dtype.newbyteorder() if array.itemsize > 1 else np.complex64
    kinds = [np.float64 if array.dtype.kind in "iub" else np.int64, object, "U30", np.complex128, others]
    return [array.astype(kind) for kind in kinds]
