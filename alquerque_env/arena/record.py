"""The file of an arena: its settings, its openings and every match as it ends, one JSON object a line."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import AlquerqueError
from .openings import Opening, Openings
from .schedule import Key

FORMAT = 1


@dataclass(frozen=True)
class MatchResult:
    """How a match of an arena ended.

    Attributes:
      pairing, opening, seat: As in `Key`.
      winner: 0, 1, or None for a draw.
      reason: As in `play.End`.
      steps: Its length, the opening included.
      fault: What the loser did wrong, None without a fault.
      turns: The match in notation.
    """

    pairing: int
    opening: int
    seat: int
    winner: int | None
    reason: str
    steps: int
    fault: str | None
    turns: str

    @property
    def key(self) -> Key:
        """Names the match."""
        return Key(self.pairing, self.opening, self.seat)

    @property
    def points(self) -> float:
        """What the first player of the pairing scored: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.winner == self.seat)


class Record:
    """What an arena has found out, kept in a file if wanted. A context that closes the file.

    Args:
      path: The file, None for none. One that exists is gone on with.
      header: The settings, as JSON has them.

    Attributes:
      openings: The openings, None if they are not known yet.
      results: The matches that have ended.

    Raises:
      AlquerqueError: If the file belongs to another arena, or to none.
      OSError: If it cannot be read or written; it says what is kept and how to go on.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self.openings: Openings | None = None
        self.results: dict[Key, MatchResult] = {}
        self._path = path
        is_new = path is not None and not path.exists()
        self._file = None if path is None else path.open("a+b", buffering=0)
        if path is None or self._file is None:
            return
        try:
            if not self._go_on(json.loads(json.dumps({"arena": FORMAT, **header}))):
                self._write({"arena": FORMAT, **header})
        except BaseException:
            is_empty = self._file.seek(0, os.SEEK_END) == 0
            self._file.close()
            if is_new and is_empty:
                path.unlink()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def set_openings(self, openings: Openings) -> None:
        """Notes the openings."""
        self.openings = openings
        self._write({"openings": [asdict(opening) for opening in openings.list], "tried": openings.tried})

    def add(self, result: MatchResult) -> None:
        """Notes the end of a match; a match that is known is left as it is."""
        if result.key not in self.results:
            self.results[result.key] = result
            self._write(asdict(result))

    def _write(self, entry: Mapping[str, Any]) -> None:
        """Writes a line, whole or not at all."""
        if self._file is None:
            return
        size = self._file.seek(0, os.SEEK_END)
        rest = json.dumps(entry).encode() + b"\n"
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.truncate(size)
            reason = (
                f"{error.strerror}; what was in it before is kept: mend that, and the same arena goes on from there"
            )
            raise OSError(error.errno, reason, str(self._path)) from None

    def _go_on(self, header: dict[str, Any]) -> bool:
        """Reads what the file holds, and cuts off a line that was being written; tells whether it held a header."""
        assert self._file is not None
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if content and not lines and not json.dumps(header).encode().startswith(content):
            raise self._foreign()
        for number, line in enumerate(lines, 1):
            try:
                self._take(json.loads(line), number, header)
            except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError):
                raise self._foreign(f"line {number} is damaged") from None
        if len(whole) < len(content):
            self._file.truncate(len(whole))
            self._file.seek(0, os.SEEK_END)
        return bool(lines)

    def _take(self, entry: dict[str, Any], number: int, header: dict[str, Any]) -> None:
        if number == 1:
            self._compare(entry, header)
        elif number == 2:
            found = tuple(Opening(tuple(each["steps"]), each["is_balanced"]) for each in entry["openings"])
            self.openings = Openings(found, entry["tried"])
        else:
            result = MatchResult(**entry)
            self.results[result.key] = result

    def _compare(self, entry: dict[str, Any], header: dict[str, Any]) -> None:
        if not isinstance(entry, dict) or "arena" not in entry:
            raise self._foreign()
        for name in dict.fromkeys([*header, *entry]):
            if entry.get(name) != header.get(name):
                raise AlquerqueError(
                    f"{str(self._path)!r} holds an arena with {name} {json.dumps(entry.get(name))}, "
                    f"this one has {json.dumps(header.get(name))}: choose another file"
                )

    def _foreign(self, why: str = "it does not begin as one") -> AlquerqueError:
        return AlquerqueError(f"{str(self._path)!r} is not the file of an arena: {why}")
