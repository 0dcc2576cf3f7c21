"""How glibc keeps freed memory. Elsewhere, or with variables such as `MALLOC_TRIM_THRESHOLD_`, nothing happens."""

import ctypes
import os
import sys

# Options of mallopt in glibc's malloc.h: how much free memory to keep, from which size arrays are mapped on their own,
# how many of them, and how many pools of memory the threads have.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -3, -4, -8


def keep_freed_memory() -> None:
    """Lets this process keep the memory that it frees.

    Training makes and frees arrays of some MB at every layer. By default glibc gives most of them back to the system,
    which has to clear memory for the next ones. Only for processes of our own: they keep what they once needed.
    """
    _set({_TRIM_THRESHOLD: 1 << 30, _MMAP_MAX: 0})


def return_freed_memory() -> None:
    """Lets this process give large arrays back, and its threads share the rest: for a server that runs for days."""
    _set({_TRIM_THRESHOLD: 1 << 20, _MMAP_THRESHOLD: 1 << 20, _ARENA_MAX: 2})


def _set(options: dict[int, int]) -> None:
    if sys.platform == "linux" and not any(name.startswith("MALLOC_") for name in os.environ):
        library = ctypes.CDLL(None)
        for option, value in options.items() if hasattr(library, "gnu_get_libc_version") else ():
            library.mallopt(option, value)
