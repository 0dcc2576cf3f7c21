"""Checks arrays from outside once, where they enter, since kernels trust their arguments."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import AlquerqueError

INTEGERS = tuple(np.dtype(code) for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
ACCEPTED: Mapping[str, tuple[np.dtype[Any], ...]] = MappingProxyType(
    {
        "bool": (np.dtype(bool),),
        "int8": (np.dtype(np.int8),),
        "int64": INTEGERS,
        "float32": (np.dtype(np.float32), np.dtype(np.float64)),
    }
)
"""The types that are accepted where one is expected. Integers become int64; doubles stay as they are."""


def check_array(
    name: str, array: Any, dtype: str, shape: tuple[int | str, ...], error: type[AlquerqueError] = AlquerqueError
) -> np.ndarray:
    """Returns an array as kernels take it: contiguous, aligned and writable. It is a copy where the given one is not.

    Args:
      name: What the array holds, in the plural, for the error.
      array: An array or nested sequences.
      dtype: A key of `ACCEPTED`.
      shape: The expected shape. A letter stands for any length.
      error: The error to raise.

    Raises:
      AlquerqueError: If the array has another type or shape.
    """
    try:
        found = np.asarray(array)
    except ValueError:  # rows of different lengths
        found = np.empty(len(array), object)
    fits = found.ndim == len(shape) and all(
        isinstance(wanted, str) or wanted == length for wanted, length in zip(shape, found.shape, strict=True)
    )
    if not fits or found.dtype not in ACCEPTED[dtype]:
        expected = f"{dtype} [{', '.join(map(str, shape))}]"
        raise error(f"{name} are {found.dtype} {list(found.shape)}, expected {expected}")
    kind = found.dtype if dtype == "float32" else np.dtype(dtype)
    return found if found.dtype == kind and found.flags.carray else np.array(found, kind, order="C")
