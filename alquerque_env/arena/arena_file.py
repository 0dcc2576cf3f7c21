"""The file of an arena: its settings, its openings and every finished match, one JSON object a line."""

from collections.abc import Container, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from ..errors import AlquerqueError
from ..files import schema
from ..files.json_lines import JsonLines
from ..game.game import Game
from .openings import Opening, Openings
from .schedule import Key

FORMAT = 1


@dataclass(frozen=True)
class MatchResult:
    """The result of a match of an arena."""

    pairing: int  # pairing, opening and seat as in `Key`
    opening: int
    seat: int
    winner: Annotated[int, schema.Key(low=0, high=1)] | None  # 0, 1, or None for a draw
    reason: str  # as in `match_runner.End`
    steps: Annotated[int, schema.Key(low=0)]  # its length, with the opening
    fault: str | None  # the loser's error; None without a fault
    turns: str  # the match in notation

    @property
    def key(self) -> Key:
        """The key of the match."""
        return Key(self.pairing, self.opening, self.seat)

    @property
    def points(self) -> float:
        """The score of the first player of the pairing: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.winner == self.seat)


@dataclass(frozen=True)
class _OpeningsLine:
    """The line of the openings in a file."""

    openings: tuple[Opening, ...]
    tried: Annotated[int, schema.Key(low=0)]
    is_published: bool


class ArenaFile(ExitStack):
    """The openings and results of an arena, also written to a file if there is one. A context that closes the file.

    Args:
        path: The file; None for none. An existing file of the same arena is resumed.
        header: Everything that decides the results, for JSON.
        game: The game.
        count: How many openings it has.
        keys: Its matches.

    Raises:
        AlquerqueError: If the file is of another arena, or not the file of an arena.
        OSError: If the file cannot be read or written. The message says what is kept and how to resume.
    """

    def __init__(
        self, path: Path | None, header: Mapping[str, Any], game: Game, count: int, keys: Container[Key]
    ) -> None:
        super().__init__()
        self._game, self._count, self._keys = game, count, keys
        self.openings: Openings | None = None
        self.results: dict[Key, MatchResult] = {}
        self._file: JsonLines | None = None
        if path is None:
            return
        self._file = self.enter_context(JsonLines(path, "an arena", ("arena", FORMAT), header))
        for place, entry in enumerate(self._file.entries):
            try:
                self._take(entry)
            except AlquerqueError:
                self.close()
                raise self._file.damaged(place) from None

    def set_openings(self, openings: Openings) -> None:
        """Adds the openings."""
        self.openings = openings
        self._write(
            {
                "openings": [asdict(opening) for opening in openings.list],
                "tried": openings.tried,
                "is_published": openings.is_published,
            }
        )

    def add(self, result: MatchResult) -> None:
        """Adds a finished match; a match that has a result keeps it."""
        if result.key not in self.results:
            self.results[result.key] = result
            self._write(asdict(result))

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.add(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        if self.openings is None:
            line = schema.parse(_OpeningsLine, entry, "openings")
            for opening in line.openings:
                opening.begin(self._game)
            if len(line.openings) != self._count:
                raise AlquerqueError(f"it has {len(line.openings)} openings, expected {self._count}")
            self.openings = Openings(line.openings, line.tried, line.is_published)
        else:
            result = schema.parse(MatchResult, entry, "match")
            if result.key not in self._keys:
                raise AlquerqueError(f"the arena has no match {result.key}")
            self.results[result.key] = result
