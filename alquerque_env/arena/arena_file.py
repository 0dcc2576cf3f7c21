"""The file of an arena: its settings, its openings and every match as it ends, one JSON object a line."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import AlquerqueError
from ..files.json_lines import JsonLines
from ..files.schema import parse
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


class Record(ExitStack):
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
        super().__init__()
        self.openings: Openings | None = None
        self.results: dict[Key, MatchResult] = {}
        self._file: JsonLines | None = None
        if path is None:
            return
        self._file = self.enter_context(JsonLines(path, "an arena", ("arena", FORMAT), header))
        for place, entry in enumerate(self._file.entries):
            try:
                self._take(entry)
            except (KeyError, TypeError, AlquerqueError):
                self.close()
                raise self._file.damaged(place) from None

    def set_openings(self, openings: Openings) -> None:
        """Notes the openings."""
        self.openings = openings
        self._write(
            {
                "openings": [asdict(opening) for opening in openings.list],
                "tried": openings.tried,
                "is_published": openings.is_published,
            }
        )

    def add(self, result: MatchResult) -> None:
        """Notes the end of a match; a match that is known is left as it is."""
        if result.key not in self.results:
            self.results[result.key] = result
            self._write(asdict(result))

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.add(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        if self.openings is None:
            found = parse(tuple[Opening, ...], entry["openings"], "openings")
            self.openings = Openings(found, entry["tried"], entry["is_published"])
        else:
            result = parse(MatchResult, entry, "match")
            self.results[result.key] = result
