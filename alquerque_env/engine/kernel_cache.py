"""The folders in which machine code is kept, one for each state of the source code that it is made from, and its files.

Numba's own cache compares one file only. It would miss a change in a constant or kernel that another file has. It
writes a file whole, but it numbers the files of a kernel by what its index file lists. Two processes at once could give
the code for different types of arguments the same number, and one would then run the code of the other.
"""

import os
import re
import shutil
import stat
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..files.user_folders import user_cache_folder
from .source_digest import source_digest

UNUSED_SECONDS = 60 * 86_400.0
"""Folders that were not used for so long are deleted by `delete_unused`."""


def compile_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compiles a function on its first call, by Numba's options, and keeps the machine code if there is a folder."""
    folder = cache_folder(_module_file(function))
    if folder is None:
        return _compile(function, "", **options)
    try:
        compiled = _compile(function, str(folder), cache=True, **options)
    except RuntimeError:
        # Numba finds no folder for the files of its cache.
        compiled = _compile(function, "", **options)
    # Where Numba cannot write to a folder it chooses another one, which does not change with the source code.
    if folder not in Path(compiled.stats.cache_path or "").parents:
        return _compile(function, "", **options)
    guard(compiled)
    return compiled


def _compile(function: Callable[..., Any], folder: str, **options: Any) -> Any:
    """Calls Numba with another cache folder.

    Whether it compiles was decided when `kernel_arrays.py` was imported. Numba reads its settings again whenever it
    compiles, and finds others after a change of the working folder.
    """
    import numba

    njit: Any = numba.njit
    config: Any = numba.config
    before = config.CACHE_DIR, config.DISABLE_JIT
    config.CACHE_DIR, config.DISABLE_JIT = folder, 0
    try:
        return njit(**options)(function)
    finally:
        config.CACHE_DIR, config.DISABLE_JIT = before


def _module_file(function: Callable[..., Any]) -> Path:
    """The module that a function belongs to: of bound functions not the one with their text."""
    module = sys.modules.get(function.__module__)
    return Path(getattr(module, "__file__", None) or function.__code__.co_filename)


def cache_root() -> Path:
    """The folder that has the folders of all states of the source code: below `NUMBA_CACHE_DIR`, if that is set."""
    # Numba's own variable, read without importing Numba.
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(chosen).absolute() if chosen else user_cache_folder()
    return folder / "kernels"


@cache
def cache_folder(module: Path) -> Path | None:
    """The folder for the kernels of a module; another one after a change to anything that the module imports.

    Makes the folder, or marks it as used.

    Returns:
      None if the folder cannot be made, or if other users could write to it: who can change machine code can run it.
    """
    root = cache_root()
    try:
        state = f"{version('numba')} {version('llvmlite')} {source_digest(module)}"
        folder = root / sha256(state.encode()).hexdigest()[:16]
        if not folder.is_dir():
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        if not (is_private(root) and is_private(folder)):
            return None
        os.utime(folder)
    except OSError:
        return None
    return folder


def delete_unused() -> int:
    """Deletes the folders of states of the source code that were not used for 60 days; returns their number."""
    deleted = 0
    for folder in cache_root().glob("*"):
        with suppress(OSError):
            if re.fullmatch("[0-9a-f]{16}", folder.name) and folder.stat().st_mtime < time.time() - UNUSED_SECONDS:
                shutil.rmtree(folder)
                deleted += 1
    return deleted


def is_private(folder: Path) -> bool:
    """Whether no other user can write to a folder. Systems other than POSIX are not asked."""
    if os.name != "posix":
        return True
    # Not `stat`: whoever can replace a link chooses the folder behind it.
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


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
