"""Compiles kernels with Numba where it is installed; without it the same source runs as plain Python.

A kernel is written for both. Its integers are non-negative and below 2**63 (`int64` when compiled), and its other
arguments are sequences of integers or floats (see `kernel_types.py`): arrays when compiled, lists or tuples when not.
A kernel that Python calls, an entry kernel, turns its arrays into pointers with `borrowed` before it hands them on.

`ALQUERQUE_JIT=0` in the environment switches compilation off.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from ..game.kernel_arrays import JIT
from .kernel_cache import compile_kernel
from .kernel_types import Words

if JIT:
    from .words.llvm import (
        allocate as allocate,
        borrowed as borrowed,
        clear_bytes as clear_bytes,
        count_lanes as count_lanes,
        fill_lanes as fill_lanes,
        find_lane as find_lane,
        invert_lanes as invert_lanes,
        lowest as lowest,
        narrow_lanes as narrow_lanes,
        nth_bit as nth_bit,
        popcount as popcount,
        release as release,
        reverse_bits as reverse_bits,
        spread_bits,
        wrapped_product as wrapped_product,
        wrapped_sum as wrapped_sum,
    )
else:
    from .words.plain_words import (
        allocate as allocate,
        borrowed as borrowed,
        clear_bytes as clear_bytes,
        count_lanes as count_lanes,
        fill_lanes as fill_lanes,
        find_lane as find_lane,
        invert_lanes as invert_lanes,
        lowest as lowest,
        narrow_lanes as narrow_lanes,
        nth_bit as nth_bit,
        popcount as popcount,
        release as release,
        reverse_bits as reverse_bits,
        spread_word as spread_word,
        wrapped_product as wrapped_product,
        wrapped_sum as wrapped_sum,
    )

F = TypeVar("F", bound=Callable[..., Any])


def entry_kernel(function: F) -> F:
    """Compiles a function that Python calls, on its first call, and keeps the machine code on disk."""
    return _compiled(function, no_cfunc_wrapper=True) if JIT else function


def kernel(function: F) -> F:
    """Compiles a function that only other kernels call."""
    # What is not set here would be that of the kernel that calls it first.
    return _linked(function, forceinline=False) if JIT else function


def inlined(function: F) -> F:
    """As `kernel`, but compiled into every kernel that calls it."""
    return _linked(function, forceinline=True) if JIT else function


def _linked(function: F, **options: Any) -> F:
    from .words.linked_kernels import WITHOUT_WRAPPERS, LinkedCompiler, LinkedKernel  # imports Numba

    compiled: Any = _compiled(function, pipeline_class=LinkedCompiler, **WITHOUT_WRAPPERS, **options)
    compiled.__class__ = LinkedKernel
    linked: F = compiled
    return linked


def _compiled(function: F, **options: Any) -> F:
    compiled: F = compile_kernel(function, nogil=True, error_model="numpy", **options)
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
