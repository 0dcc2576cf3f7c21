"""Reading and writing the files in which Numba keeps the machine code of a kernel.

Numba writes a file whole, but it numbers the files of a kernel by what its index file lists. Two processes at once
could give the code for different types of arguments the same number, and one would then run the code of the other.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

LOCK = ".lock"
_PATIENCE = 10.0
"""Seconds after which code is not kept, because another process holds the lock for longer than writing takes."""

unkept: list[Exception] = []
"""Why machine code could not be kept, in this process."""

before_compiling: list[Callable[[], None]] = []
"""Called each time before a kernel is compiled."""

_one_thread = threading.Lock()


def guard(compiled: Any) -> None:
    """Makes a compiled function go on without the files of its cache where they cannot be read or written.

    One process at a time writes them.
    """
    from .words.numba_parts import code_cache  # Numba itself is imported only where it is used

    cache = code_cache(compiled)
    load, save = cache.load_overload, cache.save_overload

    def load_or_miss(*arguments: Any) -> Any:
        try:
            found = load(*arguments)
        except Exception:  # whatever a damaged file leads to: the function is compiled again
            found = None
        if found is None:
            for tell in before_compiling:
                tell()
        return found

    def save_if_possible(*arguments: Any) -> None:
        from filelock import FileLock, Timeout  # only where something was compiled

        try:
            with _one_thread, FileLock(Path(cache.cache_path) / LOCK).acquire(timeout=_PATIENCE):
                try:
                    save(*arguments)
                except OSError:
                    raise
                except Exception:  # the index is damaged
                    cache.flush()
                    save(*arguments)
        except (OSError, Timeout) as error:
            unkept.append(error)

    cache.load_overload, cache.save_overload = load_or_miss, save_if_possible
