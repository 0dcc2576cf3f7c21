"""Files that grow line by line, one JSON object a line. Each line is written whole or not at all."""

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import AlquerqueError, made_for_other_rules, one_line, shorten
from .lock import locked_file
from .regular import open_regular


def append_line(file: IO[bytes], entry: Mapping[str, Any]) -> None:
    """Adds a line to a file that is open for appending, without a buffer; an `OSError` leaves it unchanged."""
    size = file.seek(0, os.SEEK_END)
    rest = json.dumps(entry).encode() + b"\n"
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.truncate(size)
        raise


def whole_lines(content: bytes) -> list[bytes]:
    """The lines of a file, without a last line that has no end."""
    return content[: content.rfind(b"\n") + 1].splitlines(keepends=True)


class JsonLines(ExitStack):
    """A file that grows. Its first line, the header, holds the settings. A context that closes and unlocks the file.

    If it exists, lines are added; an incomplete last line is cut off, and `entries` are the lines after the header.

    Args:
        path: The file.
        kind: What it holds, such as "an arena".
        mark: The first key of the header, and the version of the format.
        header: The settings, as JSON values. A file with others is refused and unchanged.
    """

    def __init__(self, path: Path, kind: str, mark: tuple[str, int], header: Mapping[str, Any]) -> None:
        super().__init__()
        self._path, self._kind, self._mark = path, kind, mark[0]
        # As it is read back from a file, to be compared: tuples become lists, for instance.
        whole_header = json.loads(json.dumps(dict([mark]) | dict(header)))
        if path.exists():
            open_regular(path).close()
        with ExitStack() as stack:
            stack.enter_context(locked_file(path))
            if not path.exists():
                # No empty file stays if the header cannot be written.
                stack.callback(self._remove_if_empty)
            self._file = stack.enter_context(path.open("a+b", buffering=0))
            lines = self._read(whole_header)
            if not lines:
                self.add(whole_header)
            self.push(stack.pop_all())
        self.entries = lines[1:]

    def add(self, entry: Mapping[str, Any]) -> None:
        """Adds a line; the message of an `OSError` says how to resume."""
        try:
            append_line(self._file, entry)
        except OSError as error:
            reason = f"{error.strerror}; its lines are kept: fix that, and the same command resumes"
            raise OSError(error.errno, reason, str(self._path)) from None

    def damaged(self, place: int) -> AlquerqueError:
        """The error for a damaged entry, by its index in `entries`."""
        return self._foreign(f"line {place + 2} is damaged")

    def _remove_if_empty(self) -> None:
        with suppress(OSError):
            if self._path.stat().st_size == 0:
                self._path.unlink()

    def _read(self, header: dict[str, Any]) -> list[dict[str, Any]]:
        self._file.seek(0)
        content = self._file.read()
        lines = whole_lines(content)
        # A process that was killed in its first line leaves a beginning of the header.
        if content and not lines and not json.dumps(header).encode().startswith(content):
            raise self._foreign()
        entries: list[dict[str, Any]] = []
        for line in lines:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                raise self.damaged(len(entries) - 1) from None
            if not entries:
                self._compare(entry, header)
            entries.append(entry)
        self._file.truncate(sum(map(len, lines)))
        return entries

    def _compare(self, entry: Any, header: dict[str, Any]) -> None:
        if not isinstance(entry, dict) or self._mark not in entry:
            raise self._foreign()
        for name in dict.fromkeys([*header, *entry]):
            found, now = entry.get(name), header.get(name)
            if found == now:
                continue
            if name == "table_hash":
                what = f"{self._kind} in {str(self._path)!r}"
                raise AlquerqueError(made_for_other_rules(what, found, now, "choose another file, to start anew"))
            name, found, now = _narrow(name, found, now)
            raise AlquerqueError(
                f"{str(self._path)!r} holds {self._kind} with {one_line(shorten(name))} {shorten(json.dumps(found))}, "
                f"this one has {json.dumps(now)}: choose another file"
            )

    def _foreign(self, why: str = "it does not begin as one") -> AlquerqueError:
        return AlquerqueError(f"{str(self._path)!r} is not the file of {self._kind}: {why}")


def _narrow(name: str, found: Any, now: Any) -> tuple[str, Any, Any]:
    """The first entry of two unequal tables that differs, with its key; other values as they are."""
    if not (isinstance(found, dict) and isinstance(now, dict)):
        return name, found, now
    key = next((key for key in [*now, *found] if found.get(key) != now.get(key)), None)
    return (name, found, now) if key is None else _narrow(f"{name}.{key}", found.get(key), now.get(key))
