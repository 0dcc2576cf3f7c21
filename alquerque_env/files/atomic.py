"""Atomic writes of files and folders: whole or not at all, even if the process is killed or the power fails.

Data is written under a hidden name in the same folder, `.NAME.XXXXXXXX.partial`, and renamed when it is complete. A
killed process leaves that file behind; `remove_partials` removes it.
"""

import errno
import glob
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_SUFFIX = ".partial"
_RANDOM = "[0-9a-f]" * 8
_LONGEST = 50
"""The most characters of a name that its hidden names repeat whole; file systems limit the length of names."""


def write_whole(path: Path, data: bytes, *, overwrite: bool = True) -> None:
    """Writes a file, or the one that a link leads to, whole or not at all.

    Raises `FileExistsError` if it exists and `overwrite` is false, `OSError` with its name if it cannot be written.
    """
    with open_whole(path, overwrite=overwrite) as file:
        file.write(data)


@contextmanager
def open_whole(path: Path, *, overwrite: bool = True) -> Iterator[BinaryIO]:
    """Opens a file for writing. It gets its name at the end of the context. Errors are those of `write_whole`."""
    target = Path(os.path.realpath(path))
    partial = _partial(target)
    try:
        if target.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():
            raise OSError(errno.EINVAL, "it is not a file")
        with partial.open("xb") as file:
            yield file
            file.flush()
            # Before the rename, since a power cut could otherwise leave the name without the content.
            os.fsync(file.fileno())
        if overwrite:
            partial.replace(target)
        else:
            _move_to_free_name(partial, target)
        _sync(target.parent)
    except OSError as error:
        raise _about(path, partial, error) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def make_whole_folder(path: Path) -> Iterator[Path]:
    """Makes a folder that does not exist, and its parents. It gets its name at the end of the context.

    Yields the folder under its hidden name, for writing its files. After an `OSError` nothing of it is left.
    """
    partial = _partial(path)
    try:
        partial.mkdir(parents=True)
        yield partial
        _sync(partial)
        partial.rename(path)
        _sync(path.parent)
    except OSError as error:
        raise _about(path, partial, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def remove_whole_folder(path: Path) -> None:
    """Removes a folder. If the process is killed, no part of the folder is left under its name."""
    partial = _partial(path)
    path.rename(partial)
    shutil.rmtree(partial)


def remove_partials(folder: Path, name: str | None = None, *, days: float = 0.0) -> None:
    """Removes what killed processes left of one file or folder, or of any, that is so many days old.

    With 0 days the caller holds the lock on what it removes, or other processes may write there.
    """
    latest = time.time() - days * 86_400
    # The names of other files may begin alike, as those of `a.json` and `a.json.lock`.
    for path in folder.glob(f".*{_SUFFIX}" if name is None else f"{glob.escape(_stem(name))}{_RANDOM}{_SUFFIX}"):
        with suppress(OSError):
            if days and path.stat().st_mtime > latest:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def hidden_path(path: Path, ending: str) -> Path:
    """A hidden file beside a file, such as `.NAME.lock`. Files with different names have different ones."""
    return path.with_name(f"{_stem(path.name)}{ending}")


def _stem(name: str) -> str:
    """What the hidden names of a file begin with: its name, or the beginning of a long name and a hash of it."""
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}"
    return f".{name}."


def _sync(folder: Path) -> None:
    """Writes the entries of a folder to disk, if the system can, so that a rename survives a power cut."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _partial(path: Path) -> Path:
    """The hidden name of a file. Every call gives another one, so that concurrent writers do not collide."""
    return hidden_path(path, f"{secrets.token_hex(4)}{_SUFFIX}")


def _move_to_free_name(partial: Path, path: Path) -> None:
    try:
        # Unlike a rename, a link fails if the name has been taken meanwhile.
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:  # file systems without hard links
        # Takes the name first, since the rename would replace the file of another writer.
        path.open("x").close()
        partial.replace(path)


def _about(path: Path, partial: Path, error: OSError) -> OSError:
    """The error with the name of the file instead of its hidden name."""
    if error.filename is not None and partial not in (Path(error.filename), *Path(error.filename).parents):
        return error
    return OSError(error.errno, error.strerror or str(error), str(path))
