"""Compiles kernels with Numba where it is installed; without it the same source runs as plain Python.

A kernel is written for both. Its integers are non-negative and below 2**63 (`int64` when compiled), and its other
arguments are sequences of integers or floats (see `kernel_types.py`): arrays when compiled, lists or tuples when not.
A kernel that Python calls turns its arrays into pointers with `borrowed` before it hands them on.

`ALQUERQUE_JIT=0` in the environment switches compilation off.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ..game.kernel_arrays import JIT
from .kernel_types import Words

if JIT:
    from .words.llvm import *
else:
    from .words.plain_words import *

F = TypeVar("F", bound=Callable[..., Any])

WITHOUT_KERNELS = (
    *("index_layout.py", "kernel_arrays.py", "numpy_words.py", "ruleset.py", "plain_words.py", "simd_layout.py"),
    *("step_result.py", "table_layout.py"),
)
"""Files without kernels from which kernels take constants and functions."""

_UNUSED_SECONDS = 60 * 86_400.0


def kernel(function: F) -> F:
    """Compiles a function on its first call and keeps the machine code on disk."""
    return _compiled(function) if JIT else function


def inlined(function: F) -> F:
    """As `kernel`, but compiled into every kernel that calls it."""
    return _compiled(function, forceinline=True) if JIT else function


def kernel_sources() -> list[Path]:
    """The files of the package on which the machine code of kernels depends."""
    package = Path(__file__).parents[1]
    marks = b"@kernel", b"@inlined", b"@intrinsic"
    return [
        file
        for file in sorted(package.rglob("*.py"))
        if file.name in WITHOUT_KERNELS or any(mark in file.read_bytes() for mark in marks)
    ]


@cache
def cache_folder() -> Path:
    """The folder for compiled kernels, another one after every change to a file in `kernel_sources`.

    Numba's own cache compares one file only and would miss a change in a kernel that another file calls. Marks the
    folder as used, and deletes folders that were not used for 60 days when a new one is made.
    """
    import numba
    import platformdirs

    source = hashlib.sha256(numba.__version__.encode())
    for file in kernel_sources():
        source.update(file.read_bytes())
    folder = Path(platformdirs.user_cache_dir("alquerque-env")) / "kernels" / source.hexdigest()[:16]
    with suppress(OSError):
        is_new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.iterdir() if is_new else ():
            if other.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def _compiled(function: F, **options: Any) -> F:
    import numba

    config: Any = numba.config
    njit: Any = numba.njit
    before = config.CACHE_DIR
    config.CACHE_DIR = before or str(cache_folder())
    options |= {"nogil": True, "error_model": "numpy"}
    compiled: F
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        compiled = njit(**options)(function)
    finally:
        config.CACHE_DIR = before
    return compiled


if JIT:

    @inlined
    def spread_word(numbers: Words, place: int, word: int, count: int, room: int) -> None:
        """Writes 1 or 0 for each of the low `count` bits of a word, from `place` on.

        Whole groups of 32 bytes are written where they fit, so up to 31 numbers behind the last one may be overwritten,
        but none from `place + room` on.
        """
        if count <= 32 <= room:  # the usual case; without the loops a batch is a twentieth faster
            spread_bits(numbers, place, word)
            return
        point = 0
        while point < count and point + 32 <= room:
            spread_bits(numbers, place + point, word >> point)
            point += 32
        while point < count:
            numbers[place + point] = word >> point & 1
            point += 1
