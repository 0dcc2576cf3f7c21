"""Checks arrays and numbers from outside once, where they enter, since kernels trust their arguments."""

from collections.abc import Mapping
from operator import index
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import AlquerqueError

_EXPECTED = {name: np.dtype(name) for name in ("bool", "int8", "int64", "float32")}
_INTEGERS = tuple(np.dtype(code) for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
_ACCEPTED: Mapping[str, tuple[np.dtype[Any], ...]] = MappingProxyType(
    {name: (dtype,) for name, dtype in _EXPECTED.items()}
    | {"int64": _INTEGERS, "float32": (np.dtype(np.float32), np.dtype(np.float64))}
)


def check_array(
    name: str, array: Any, dtype: str, shape: tuple[int | str, ...], error: type[AlquerqueError] = AlquerqueError
) -> np.ndarray:
    """Returns an array as kernels take it: contiguous, aligned and writable. It is a copy where the given one is not.

    Args:
      name: What the array holds, in the plural, for the error.
      array: An array or nested sequences.
      dtype: "bool", "int8", "int64" or "float32". Other integers are converted to int64. Doubles pass for float32 and
        stay doubles.
      shape: The expected shape. A letter stands for any length.
      error: The error to raise.

    Raises:
      AlquerqueError: If the array has another type or shape.
    """
    expected = _EXPECTED[dtype]
    if type(array) is np.ndarray and array.dtype is expected and array.shape == shape and array.flags.carray:
        return array  # the usual case; the rest takes a microsecond, which is felt in environments of one match
    try:
        found = np.asarray(array)
    except ValueError:  # rows of different lengths
        found = np.empty(len(array), object)
    fits = len(found.shape) == len(shape) and all(
        wanted == length or isinstance(wanted, str) for wanted, length in zip(shape, found.shape, strict=True)
    )
    if found.dtype not in _ACCEPTED[dtype] or not fits:
        raise error(f"{name} are {found.dtype} {list(found.shape)}, expected {dtype} [{', '.join(map(str, shape))}]")
    kind = found.dtype if dtype == "float32" else expected
    return found if found.dtype == kind and found.flags.carray else np.array(found, kind, order="C")


def python_number(value: Any) -> Any:
    """Returns an integer or Boolean of NumPy as one of Python, and anything else as it is."""
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def as_integer(value: Any) -> int:
    """Returns an integer of Python, NumPy or PyTorch as one of Python; `TypeError` for anything else, Booleans too."""
    if type(value) is int:  # the usual case
        return value
    if type(value).__name__ in ("bool", "bool_"):  # NumPy's too, which older versions take for an index
        raise TypeError
    return index(value)


def check_at_least(least: int, name: str, value: Any) -> int:
    """Returns an integer of at least `least`, of Python or NumPy, as one of Python.

    Raises:
      AlquerqueError: If it is anything else; a Boolean is no integer.
    """
    number = python_number(value)
    if type(number) is not int or number < least:
        raise AlquerqueError(f"{name} is {value!r}, expected an integer of at least {least}")
    return number
