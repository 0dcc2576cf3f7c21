"""Kernels: functions that run as plain Python, and that Numba compiles where it is installed.

A kernel is written for both. Its integers are non-negative and below 2**63 (`int64` when compiled), and its other
arguments are sequences of integers or floats (see `kernel_types.py`). In its module it is a plain function. Python
calls entry kernels, with arrays: these choose at each call whether to run compiled, see `forms.py` (`SingleMatch` has
them choose once a match). What they run has pointers in place of the arrays, see `borrowed`; in plain Python these are
memory views, since an index into an array gives NumPy's integers, which are slow and overflow.

Boards of more than 63 points have tuples and lists of Python's integers, and plain kernels.
"""

import warnings
from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from ..game.kernel_arrays import JIT
from .forms import part_of, uses_compiled
from .kernel_types import borrowed, inlined as inlined, kernel as kernel
from .words.plain_words import (
    allocate as allocate,
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

_COMPILED = np.ndarray, int, float, np.number
P = ParamSpec("P")
R = TypeVar("R")


def entry_kernel(function: Callable[P, R]) -> "EntryKernel[P, R]":
    """A kernel that Python calls. Its arrays become pointers, whose length is not known."""
    return EntryKernel(function, is_long=False)


def long_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """As `entry_kernel`, for work that takes so long in plain Python that it waits for the compiler instead."""
    return EntryKernel(function, is_long=True)


class EntryKernel(Generic[P, R]):
    """A kernel that Python calls.

    It can run compiled if the first argument is a number, an array or a named tuple of arrays, but not a tuple or list.
    """

    has_compiled = False
    is_broken = False
    _one_thread = RLock()

    def __init__(self, function: Callable[P, R], *, is_long: bool) -> None:
        update_wrapper(self, function)
        self.function = function
        self._part = "" if is_long else part_of(function.__module__)
        self._compiled: Callable[P, R] | None = None

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Runs the kernel, compiled if it can be."""
        return self.form_for(arguments[0])(*arguments, **named)

    def form_for(self, first: Any) -> Callable[P, R]:
        """The form that runs if this is the first argument, for callers to whom the choice at each call is a cost."""
        while isinstance(first, tuple) and type(first) is not tuple:
            first = first[0]
        if isinstance(first, _COMPILED):
            if self._compiled is not None:
                return self._compiled
            if JIT and not EntryKernel.is_broken and (not self._part or uses_compiled(self._part)):
                return self._compile_and_call
        return self.run_plain

    def run_plain(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Runs the kernel as plain Python."""
        plain: Any = map(_as_plain, arguments)
        return self.function(*plain, **named)

    def _compile_and_call(self, *arguments: P.args, **named: P.kwargs) -> R:
        """The first compiled call. If Numba cannot compile the first kernel of a process, none is compiled there."""
        if self._compiled is not None:
            return self._compiled(*arguments, **named)  # for a caller that chose this form before the first call
        with EntryKernel._one_thread:
            if self._compiled is None and not EntryKernel.is_broken:
                try:
                    from .compiled_kernels import compile_entry  # imports Numba

                    compiled: Callable[P, R] = compile_entry(self.function)
                    result = compiled(*arguments, **named)
                except Exception as error:
                    if EntryKernel.has_compiled:
                        raise
                    EntryKernel.is_broken = True
                    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
                    warnings.warn(
                        f"kernels run as plain Python, slowly, since Numba cannot compile them ({what[:300]}): install "
                        "another version of Numba, or set ALQUERQUE_JIT=0",
                        RuntimeWarning,
                        stacklevel=4,
                    )
                else:
                    EntryKernel.has_compiled = True
                    self._compiled = compiled
                    return result
        return (self._compiled or self.run_plain)(*arguments, **named)


def _as_plain(argument: Any) -> Any:
    """An argument as plain kernels take it."""
    return int(argument) if isinstance(argument, np.integer) else borrowed(argument)
