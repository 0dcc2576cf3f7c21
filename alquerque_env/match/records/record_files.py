"""Match files on disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from ...errors import LONGEST_PATH, RecordError, shorten
from ...files.atomic import write_whole
from ...files.regular import open_regular
from .parsed import parse_matches
from .reader import read_records, replay
from .record import Record


def save_record(path: Path | str, text: str, *, overwrite: bool = True) -> None:
    """Writes one or several texts of `format_record` to a match file, whole or not at all.

    Raises:
      RecordError: If the file exists and may not be replaced, or cannot be written.
    """
    try:
        write_whole(Path(path), text.encode(), overwrite=overwrite)
    except FileExistsError:
        raise RecordError(f"{str(path)!r} exists already; choose another name") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot write {str(path)!r}: {_reason(error)}; choose another place") from None


def load_records(path: Path | str) -> Iterator[Record]:
    """Reads the matches of a file, one after the other; only one is held at a time.

    Yields:
      The matches.

    Raises:
      RecordError: As `read_records`, or if the file cannot be read.
    """
    with _opened(path) as stream:
        yield from read_records(stream)


def load_record(path: Path | str, number: int = 1) -> Record:
    """Reads the match with this place in a file, from 1. Those before it are not checked against the rules.

    Raises:
      RecordError: As `read_records`, or if the file cannot be read or has no such match.
    """
    count = 0
    with _opened(path) as stream:
        for count, parsed in enumerate(parse_matches(stream), 1):
            if count == number:
                return replay(parsed)
        held = "no match" if count == 0 else f"{count} match{'es' * (count > 1)}"
        raise RecordError(f"the file holds {held}, so there is no match {number}")


def count_records(path: Path | str) -> int:
    """Counts the matches in a file without checking them against the rules.

    Raises:
      RecordError: If the file cannot be read, or its text is not that of matches.
    """
    with _opened(path) as stream:
        return sum(1 for _ in parse_matches(stream))


@contextmanager
def _opened(path: Path | str) -> Iterator[TextIO]:
    """Opens a file; errors raised while it is read name it."""
    try:
        with TextIOWrapper(open_regular(Path(path)), encoding="utf-8") as stream:
            yield stream
    except RecordError as error:
        raise RecordError(f"{str(path)!r}: {error}") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot read {shorten(str(path), LONGEST_PATH)!r}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
