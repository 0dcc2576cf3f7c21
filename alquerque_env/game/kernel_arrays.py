"""Arrays for kernels, and whether Numba may compile these: `JIT`. Finding that out rarely imports Numba."""

import math
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

TESTED = ((0, 61), (0, 68))
"""The first and the last minor version of Numba that has been tested. Kernels use parts of it that are not public."""


def _is_wanted() -> bool:
    """Whether `ALQUERQUE_JIT` leaves compilation on."""
    setting = os.environ.get("ALQUERQUE_JIT", "")
    if setting not in ("", "0", "1"):
        warnings.warn(f"ALQUERQUE_JIT is {setting!r}, expected 0 or 1: it is ignored", RuntimeWarning, stacklevel=2)
    return setting != "0"


def is_tested(number: str) -> bool:
    """Whether a version of Numba lies in the tested range."""
    minor = tuple(int(part) for part in re.findall(r"\d+", number)[:2])
    return TESTED[0] <= minor <= TESTED[1]


def _numba_compiles() -> bool:
    """Whether Numba is installed and compiles.

    Numba is asked where settings may have switched it off or keep it from being imported, since it alone knows how it
    reads them. Elsewhere it need not be imported, which takes long.
    """
    if find_spec("numba") is None:
        return False
    if not is_tested(number := version("numba")):
        first, last = (".".join(map(str, minor)) for minor in TESTED)
        warnings.warn(
            f"kernels run as plain Python, slowly: Numba {number} has not been tested with this package; install Numba "
            f"{first} to {last}, or set ALQUERQUE_JIT=0",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    has_settings = any(name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR" for name in os.environ)
    if not (has_settings or os.path.isfile(".numba_config.yaml") or "numba" in sys.modules):
        return True
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            compiles = not import_module("numba").config.DISABLE_JIT
        except Exception as error:  # such as a file of settings that is not YAML
            compiles = False
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
            warnings.warn(
                f"Numba cannot be imported, so kernels run as plain Python, slowly ({what}): mend its settings in the "
                "environment and in .numba_config.yaml, or set ALQUERQUE_JIT=0",
                RuntimeWarning,
                stacklevel=2,
            )
    for each in told:
        # Below the first line Numba prints a traceback where it cannot read a setting.
        warnings.warn(str(each.message).partition("\n")[0], each.category, stacklevel=2)
    return compiles


JIT = _is_wanted() and _numba_compiles()
WORD_BITS = 63
CACHE_LINE = 64  # bytes


def constants(values: Sequence[int]) -> Any:
    """Integers that kernels read: an array, or a tuple of Python's integers where one is too long a word."""
    return tuple(values) if max(values, default=0) >= 1 << WORD_BITS else _filled(values)


def short_words(values: Iterable[int]) -> Any:
    """16-bit integers, sign included, that kernels read."""
    return np.array(list(values), np.int16)


def words(table: Any, count: int) -> Any:
    """`count` zero words that kernels write: an array, or a list where the step table is a tuple."""
    return aligned((count,), np.int64) if isinstance(table, np.ndarray) else [0] * count


def copied(table: Any, values: Iterable[int]) -> Any:
    """Words that kernels write, with these values at first; as for `words`."""
    plain = [int(value) for value in values]
    return _filled(plain) if isinstance(table, np.ndarray) else plain


def word_rows(table: Any, rows: int, count: int) -> Any:
    """`rows` rows of `count` zero words that kernels write; as for `words`."""
    return aligned((rows, count), np.int64) if isinstance(table, np.ndarray) else [[0] * count for _ in range(rows)]


def state_rows(rows: Any, is_wide: bool) -> np.ndarray:
    """States as an array `[N, S]`: int64, or Python's integers where the board has more points than a word has bits."""
    return np.array([[int(word) for word in row] for row in rows], object if is_wide else np.int64)


def packed(states: np.ndarray) -> np.ndarray:
    """A copy of states `[N, S]` as int64, for files; Python's integers as `[N, S, 2]`, the low 63 bits first."""
    if states.dtype != object:
        return states.copy()
    return np.stack([states & (1 << WORD_BITS) - 1, states >> WORD_BITS], axis=2).astype(np.int64)


def unpacked(states: np.ndarray) -> np.ndarray:
    """The states of a result of `packed`."""
    if states.ndim < 3:
        return states
    low, high = np.moveaxis(states.astype(object), 2, 0)
    return np.asarray(low | high << WORD_BITS)


def _filled(values: Sequence[int]) -> np.ndarray:
    array = aligned((len(values),), np.int64)
    array[:] = values
    return array


def aligned(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros that begin at a cache line, because lanes across two cache lines are slow to write."""
    count = math.prod(shape)
    room = np.zeros(count + CACHE_LINE // np.dtype(kind).itemsize, kind)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[first : first + count].reshape(shape)
