"""Puzzles of a game, and the files that hold them.

`python -m tools.puzzles` makes them in a checkout. A file is JSON, compressed with gzip. Its keys are the fields of
`PuzzleSet`, and under `puzzles` those of `Puzzle`, each with its values for all puzzles one after the other, see
`Columns`: so they take little room.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from ..errors import AlquerqueError, made_for_other_rules, shorten
from ..files.regular import read_regular
from ..files.schema import Key, parse
from ..game.game import Game, GameId, as_game
from ..game.options import OptionValue, spell
from ..match.match import Match
from .exercise import Exercise
from .puzzle_rating import rate_puzzle

FORMAT = "alquerque puzzles 2"
SHIPPED = Path(__file__).parent / "puzzles"
SUFFIX = ".json.gz"
UNIFORM, NATURAL = "uniform", "natural"
"""Where a position is from: drawn from all of the table, or from a match."""

_MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class Puzzle:
    """A won position in which one turn alone wins, and the line along which that stays so.

    Attributes:
      position: Text of the position.
      line: The turns of the line with spaces between them, a turn as its steps with commas: `a3-b4 c3-c2 b4xd4,d4xd2`.
      distance: Plies to the end under best play.
      missed: For each bot that graded it `1` if it missed one of the turns, else `0`.
      source: `uniform` or `natural`.
      tags: What it shows, such as `quiet`, `sacrifice` or `promotion`.
    """

    position: str
    line: str
    distance: Annotated[int, Key(low=1)]
    missed: str
    source: str
    tags: tuple[str, ...]

    @property
    def exercise(self) -> Exercise:
        """The position and the line."""
        return Exercise(self.position, tuple(tuple(turn.split(",")) for turn in self.line.split(" ")))

    @property
    def grade(self) -> int:
        """How many bots missed it."""
        return self.missed.count("1")

    @property
    def rating(self) -> int:
        """Its Elo rating, see `rate_puzzle`."""
        return rate_puzzle(self.grade, len(self.missed))


@dataclass(frozen=True)
class PuzzleSet:
    """The puzzles of a game.

    Attributes:
      format: `FORMAT`.
      game, options, version, table_hash: The rules.
      pieces: The most pieces of the table that they are from.
      seed: Seed of the positions.
      command: The command that made the file.
      bots: The bots that graded the puzzles.
      puzzles: The puzzles, those of the lowest grade first.
    """

    format: str
    game: str
    options: dict[str, OptionValue]
    version: int
    table_hash: str
    pieces: int
    seed: int
    command: str
    bots: tuple[str, ...]
    puzzles: Annotated[tuple[Puzzle, ...], Key(low=1)]


@dataclass(frozen=True)
class Columns:
    """What a file has of its puzzles: the values of each field of `Puzzle`, in a text with spaces between them.

    A line has a character for each step: that with the number of the step among the legal ones, counted from `0`.
    """

    position: str
    line: str
    distance: tuple[int, ...]
    missed: str
    source: str
    tags: str  # with commas between those of a puzzle


def _read_steps(game: Game, position: str, written: str) -> str:
    """The line of a puzzle as text, from the numbers of its steps among the legal ones, a character each."""
    match = Match(game, position)
    for character in written:
        number = ord(character) - ord("0")
        if not 0 <= number < len(match.legal_steps):
            raise AlquerqueError(f"{match.position} has no legal step {number}")
        match.push(match.legal_steps[number])
    return " ".join(",".join(step.text for step in steps) for _, steps in match.history)


def _as_rows(columns: Columns) -> Iterator[dict[str, Any]]:
    """The fields of each puzzle; a `ValueError` if there are not as many values of all."""
    found = {name: value.split(" ") if isinstance(value, str) else value for name, value in vars(columns).items()}
    found["tags"] = [tags.split(",") for tags in found["tags"]]
    for row in zip(*found.values(), strict=True):
        yield dict(zip(found, row, strict=True))


def games_with_puzzles() -> tuple[str, ...]:
    """Returns the ids of the games that have puzzles, sorted."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in SHIPPED.glob(f"*{SUFFIX}")))


def load_puzzles(game: Game | GameId, path: Path | str | None = None) -> PuzzleSet:
    """Reads the puzzles of a game.

    Example:
      >>> load_puzzles("pretwa").puzzles[0].source in ("uniform", "natural")
      True

    Args:
      game: The game, its id, or the path of a game file.
      path: A file of puzzles; None for those that come with the package.

    Returns:
      The puzzles, those of the lowest grade first.

    Raises:
      AlquerqueError: If there are none, or the file cannot be read, is of another version, or of other rules.
    """
    rules = as_game(game)
    file = SHIPPED / f"{rules.name}{SUFFIX}" if path is None else Path(path)
    if path is None and not file.is_file():
        raise AlquerqueError(
            f"there are no puzzles of {rules.name}; there are some of {', '.join(games_with_puzzles())}"
        )
    content = _read(file)
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise AlquerqueError(
            f"{file} is no file of puzzles of this version: expected the format {FORMAT!r}, "
            f"got {shorten(repr(found))}; make it again with this version of the package"
        )
    try:
        rows = list(_as_rows(parse(Columns, content.get("puzzles"), str(file))))
    except ValueError as error:
        raise error if isinstance(error, AlquerqueError) else AlquerqueError(f"{file} is damaged: {error}") from None
    puzzles = parse(PuzzleSet, content | {"puzzles": rows}, str(file))
    if puzzles.game != rules.name:
        raise AlquerqueError(f"{file} has puzzles of {puzzles.game}, not of {rules.name}: give that game")
    for name, value in rules.options.items():
        if (known := puzzles.options.get(name, value)) != value:
            raise AlquerqueError(
                f"{file} has puzzles of {rules.name} with {name}={spell(known)}, not with {spell(value)}: "
                "leave that option out"
            )
    if puzzles.table_hash != rules.table_hash:
        remedy = f"make it again with: {puzzles.command}"
        raise AlquerqueError(made_for_other_rules(f"puzzle file {file}", puzzles.table_hash, rules.table_hash, remedy))
    for number, puzzle in enumerate(puzzles.puzzles, 1):
        if len(puzzle.missed) != len(puzzles.bots) or set(puzzle.missed) - {"0", "1"}:
            raise AlquerqueError(f"{file}: puzzle {number} has no grade by {len(puzzles.bots)} bots")
    try:
        lines = [_read_steps(rules, puzzle.position, puzzle.line) for puzzle in puzzles.puzzles]
    except AlquerqueError as error:
        raise AlquerqueError(f"{file} has a line that is not legal: {error}") from None
    read = (replace(puzzle, line=line) for puzzle, line in zip(puzzles.puzzles, lines, strict=True))
    return replace(puzzles, puzzles=tuple(read))


def _read(file: Path) -> Any:
    try:
        data = zlib.decompressobj(wbits=31)
        text = data.decompress(read_regular(file, _MOST_BYTES), _MOST_BYTES)
        if not data.eof:
            raise AlquerqueError(f"{file} is damaged: it ends early, or has more than {_MOST_BYTES:,} bytes")
        return json.loads(text)
    except OSError as error:
        raise AlquerqueError(f"{file} cannot be read: {error.strerror or error}") from None
    except (zlib.error, ValueError, RecursionError) as error:
        if isinstance(error, AlquerqueError):
            raise
        raise AlquerqueError(f"{file} is no file of puzzles: expected JSON compressed with gzip") from None
