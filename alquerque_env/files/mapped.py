"""Files mapped into memory, with their room on the disk reserved beforehand.

A file that only has its length takes room when its pages are first written. If the disk is full then, the system kills
the process.
"""

import errno
import os
import shutil
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .atomic import open_whole

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_UNSUPPORTED = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
_AT_ONCE = 1 << 20


def map_file(path: Path, kind: type[np.integer[Any]], count: int) -> np.memmap:
    """Maps a file of `count` numbers into memory, for reading and writing. One that does not exist is made, with zeros.

    If there is too little room on the disk, an `OSError` names the file, the room that it needs and the room that is
    free, and no part of a new file is left.
    """
    size = count * np.dtype(kind).itemsize
    if not path.exists():
        with open_whole(path) as file:
            _reserve(file, path, size)
    else:
        with path.open("r+b") as file:  # a copy may have holes
            _reserve(file, path, size)
    return np.memmap(path, kind, "r+", shape=(count,))


def _reserve(file: BinaryIO, path: Path, size: int) -> None:
    """Gives a file its size and room on the disk for all of it; what it holds already stays."""
    have = os.fstat(file.fileno())
    missing = size - min(size, getattr(have, "st_blocks", 0) * 512 or have.st_size)
    free = shutil.disk_usage(path.parent).free
    try:
        if missing > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if not _allocate(file.fileno(), size):
            file.seek(have.st_size)
            for begin in range(have.st_size, size, _AT_ONCE):
                file.write(bytes(min(_AT_ONCE, size - begin)))
            file.flush()
    except OSError as error:
        if error.errno not in _FULL:
            raise
        reason = f"{os.strerror(error.errno)}: it needs {missing:,} bytes, and {free:,} are free"
        raise OSError(error.errno, reason, str(path)) from None


def _allocate(descriptor: int, size: int) -> bool:
    """Lets the system reserve the room; returns whether it can."""
    if not hasattr(os, "posix_fallocate"):
        return False
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    return True
