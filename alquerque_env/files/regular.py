"""Reads regular files only. A device or a pipe in place of a file could block, or be read for ever."""

import errno
import hashlib
import os
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Opens a file for reading; `OSError` with its name if it is not a regular file or cannot be opened."""
    with ExitStack() as stack:
        file = stack.enter_context(open(path, "rb", opener=_open_at_once))
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        stack.pop_all()
    return file


def _open_at_once(name: str, flags: int) -> int:
    # Opening a pipe would otherwise wait for its other end.
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular(path: Path, most: int = -1) -> bytes:
    """Reads a whole file, of at most so many bytes unless that is negative; errors are those of `open_regular`."""
    with open_regular(path) as file:
        content = file.read(most + 1 if most >= 0 else -1)
    if 0 <= most < len(content):
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


def checksum(path: Path) -> str:
    """The SHA-256 of a file; errors are those of `open_regular`."""
    return hashlib.sha256(read_regular(path)).hexdigest()
