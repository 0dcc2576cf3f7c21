"""How the C library gives freed memory back to the system."""

import ctypes
import os
import sys

# Options of mallopt in glibc's malloc.h: how much free memory to keep, and how many arrays to map on their own.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4


def keep_freed_memory() -> None:
    """Lets this process keep the memory that it frees, on Linux with glibc; elsewhere does nothing.

    Training makes and frees arrays of some MB at every layer. By default glibc gives most of them back to the system,
    which has to clear memory for the next ones. Only for processes of our own: they keep what they once needed.
    Variables such as `MALLOC_TRIM_THRESHOLD_` in the environment take precedence.
    """
    if sys.platform != "linux" or any(name.startswith("MALLOC_") for name in os.environ):
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(_TRIM_THRESHOLD, 1 << 30)
        library.mallopt(_MMAP_MAX, 0)
