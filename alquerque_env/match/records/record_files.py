"""Match files on disk."""

import codecs
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from ...errors import LONGEST_PATH, RecordError, shorten
from ...files.atomic import write_whole
from ...files.regular import open_regular
from .reader import parse_matches, read_records, replay_parsed
from .record import Record

MAX_FILE = 64_000_000
"""The bytes of the largest file that is read."""

_CHUNK = 1 << 20


def save_record(path: Path | str, record: Record | str, *, overwrite: bool = True) -> None:
    """Writes a record, or the text of one or several, to a match file, whole or not at all.

    Raises:
      RecordError: If the file exists and may not be replaced, or cannot be written.
    """
    try:
        write_whole(Path(path), str(record).encode(), overwrite=overwrite)
    except FileExistsError:
        raise RecordError(f"{str(path)!r} exists already; choose another name") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot write {str(path)!r}: {_reason(error)}; choose another place") from None


def load_records(path: Path | str, *, tell: Callable[[str], object] | None = None) -> Iterator[Record]:
    """Reads the matches of a file, one after the other; only one is held at a time.

    Args:
      path: The file.
      tell: Is called with a sentence about each match that cannot be read, which is then left out, and about a file
        that is read as Latin-1. None raises the former, and warns of the latter.

    Yields:
      The matches.

    Raises:
      RecordError: As `read_records`, or if the file cannot be read.
    """
    with _opened(path, tell or warnings.warn) as stream:
        yield from read_records(stream, tell=tell)


def load_record(path: Path | str, number: int = 1, *, tell: Callable[[str], object] = warnings.warn) -> Record:
    """Reads the match with this place in a file, from 1. Those before it are not checked.

    Args:
      path: The file.
      number: The place.
      tell: Is called with a sentence about a file that is read as Latin-1.

    Raises:
      RecordError: As `read_records` about this match, or if the file cannot be read or has no such match.
    """
    count = 0
    with _opened(path, tell) as stream:
        for count, parsed in enumerate(parse_matches(stream), 1):
            if count == number:
                return replay_parsed(parsed)
        held = "no match" if count == 0 else f"{count} match{'es' * (count > 1)}"
        raise RecordError(f"the file holds {held}, so there is no match {number}")


def count_records(path: Path | str) -> int:
    """Counts the matches in a file without checking them.

    Raises:
      RecordError: If the file cannot be read.
    """
    with _opened(path, str) as stream:
        return sum(1 for _ in parse_matches(stream))


@contextmanager
def _opened(path: Path | str, tell: Callable[[str], object]) -> Iterator[TextIO]:
    """Opens a file; errors raised while it is read name it. `tell` is told if it is not in UTF-8."""
    try:
        with open_regular(Path(path)) as file:
            if os.fstat(file.fileno()).st_size > MAX_FILE:
                raise RecordError(f"it has more than {MAX_FILE // 1_000_000} MB; divide it into smaller files")
            is_utf8 = _is_utf8(file)
            if not is_utf8:
                tell(f"{str(path)!r} is not in UTF-8 and is read as Latin-1: names may show wrong letters")
            # With the letters that Windows adds to Latin-1, as browsers read it.
            with TextIOWrapper(file, encoding="utf-8" if is_utf8 else "cp1252", errors="replace") as stream:
                yield stream
    except RecordError as error:
        raise RecordError(f"{str(path)!r}: {error}") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot read {shorten(str(path), LONGEST_PATH)!r}: {_reason(error)}") from None


def _is_utf8(file: BinaryIO) -> bool:
    """Whether a file is text in UTF-8; afterwards it is read from its beginning."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        file.seek(0)
    return True


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
