"""Locks between processes. The lock of a killed process is free."""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import AlquerqueError
from .atomic import write_whole


class LockedError(AlquerqueError):
    """Another process holds the lock."""


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Holds a lock during the context, against other processes and threads.

    Args:
      path: File of the lock, such as `.lock` in a folder; it stays when the lock is released. `PATH.holder` names the
        process that holds it.
      what: What is locked, for the error, such as "run 'runs/one-1'".

    Raises:
      LockedError: If another process holds the lock; the message names the process and says what to do.
      OSError: If the file cannot be made; the error names it.
    """
    lock = FileLock(path, timeout=0)
    holder = path.with_name(f"{path.name}.holder")
    try:
        lock.acquire()
    except Timeout:
        raise LockedError(f"{what} is in use by {_describe(holder)}") from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with suppress(OSError):  # the holder is only for messages
            since = datetime.now().astimezone().isoformat(" ", "seconds")
            write_whole(holder, json.dumps({"pid": os.getpid(), "host": platform.node(), "since": since}).encode())
        yield
    finally:
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()


def _describe(holder: Path) -> str:
    """Names the holder of a lock and says what to do."""
    try:
        found = json.loads(holder.read_bytes())
        pid, host, since = int(found["pid"]), str(found["host"]), str(found["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return "another process: wait until it ends"
    return f"process {pid} on {host} since {since}: wait until it ends, or stop it"
