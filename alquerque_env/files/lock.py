"""Locks between processes. The lock of a killed process is free."""

import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import AlquerqueError
from .atomic import hidden_path, remove_partials, write_whole

_MOMENT = 0.2  # seconds in which a process that has just taken over a lock writes who it is
_LOOK = 5.0  # seconds after which a waiting process looks again who holds the lock


class LockedError(AlquerqueError):
    """Another process holds the lock."""


@contextmanager
def locked(path: Path, what: str, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Holds a lock during the context, against other processes and threads.

    Args:
        path: File of the lock, in a folder that exists. While the lock is held, `PATH.holder` names the process that
            holds it. Both files are removed at the end.
        what: What is locked, for messages, such as "run 'runs/one-1'".
        waiting: Waits for a lock that another process holds, and is called with a sentence that names the process. None
            to refuse instead by a `LockedError` with that sentence.
    """
    lock = FileLock(path)
    holder = path.with_name(f"{path.name}.holder")
    try:
        os.stat(f"{path.parent}{os.sep}")  # the library would make the folder
        _acquire(lock, holder, what, waiting)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with suppress(OSError):  # the holder is only for messages
            # What a killed process left; a full disk has no room for another one.
            remove_partials(holder.parent, holder.name)
            holder.unlink(missing_ok=True)
            since = datetime.now().astimezone().isoformat(" ", "seconds")
            write_whole(holder, json.dumps({"pid": os.getpid(), "host": platform.node(), "since": since}).encode())
        yield
    finally:
        # Before the release: a process that has opened the file meanwhile sees that it is gone, and makes another one.
        for file in (holder, path):
            with suppress(OSError):
                file.unlink(missing_ok=True)
        lock.release()


@contextmanager
def locked_file(path: Path, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Holds the lock on a file or folder that need not exist. The file of the lock stands beside it, hidden.

    A link stands for what it leads to. Partial files of a killed process are removed, those in the folder too. Errors
    are those of `locked`, with the name of `path`.
    """
    target = Path(os.path.realpath(path))
    with locked(hidden_path(target, "lock"), repr(str(path)), waiting):
        remove_partials(target.parent, target.name)
        remove_partials(target)
        yield


def _acquire(lock: FileLock, holder: Path, what: str, waiting: Callable[[str], None] | None) -> None:
    told = None
    while True:
        try:
            lock.acquire(timeout=_LOOK if told else _MOMENT)
        except Timeout:
            who = _describe(holder)
            if waiting is None:
                way_on = "wait until it ends" + (", or stop it" if who else "")
                raise LockedError(f"{what} is in use by {who or 'another process'}: {way_on}") from None
            if who != told or told is None:
                told = who
                waiting(f"{what} is in use by {who or 'another process'}; waiting until it ends")
        else:
            return


def _describe(holder: Path) -> str:
    """Names the holder of a lock; "" if it is not known."""
    try:
        found = json.loads(holder.read_bytes())
        pid, host, since = int(found["pid"]), str(found["host"]), str(found["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f"process {pid} on {host} since {since}"
