"""Puzzles of a game, and the files that hold them.

A file is JSON, compressed with gzip. Its keys are the fields of `PuzzleSet`. A line is written as its turns with spaces
between them, and a turn as its steps with commas, such as `a3-b4 c3-c2 b4xd4,d4xd2`.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from ..errors import AlquerqueError, made_for_other_rules, shorten
from ..files.atomic import write_whole
from ..files.regular import read_regular
from ..files.schema import Key, parse
from ..game.game import Game, GameId, as_game
from ..game.options import OptionValue, spell
from .exercise import Exercise
from .rating import rate_puzzle

FORMAT = "alquerque puzzles 1"
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
      line: The turns of the line as text, see the module.
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
        """Its Elo rating, see `rating.rate_puzzle`."""
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


def join_line(turns: Sequence[Sequence[str]]) -> str:
    """Returns the turns of a line as text."""
    return " ".join(",".join(turn) for turn in turns)


def write_puzzles(path: Path, puzzles: PuzzleSet) -> None:
    """Writes a file, the same for the same puzzles; raises `OSError` if it cannot."""
    text = json.dumps(asdict(puzzles), separators=(",", ":"))
    write_whole(path, gzip.compress(text.encode(), mtime=0))


def games_with_puzzles() -> tuple[str, ...]:
    """Returns the ids of the games that have puzzles, sorted."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in SHIPPED.glob(f"*{SUFFIX}")))


def load_puzzles(game: Game | GameId, path: Path | str | None = None) -> PuzzleSet:
    """Reads the puzzles of a game.

    Example:
      >>> load_puzzles("felli").puzzles[0].source in ("uniform", "natural")
      True

    Args:
      game: The game, its id, or the path of a game file.
      path: A file of puzzles; None for those that come with the package.

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
    puzzles = parse(PuzzleSet, content, str(file))
    if puzzles.game != rules.name:
        raise AlquerqueError(f"{file} has puzzles of {puzzles.game}, not of {rules.name}: give that game")
    for name, value in rules.options.items():
        if puzzles.options.get(name) != value:
            raise AlquerqueError(
                f"{file} has puzzles of {rules.name} with {name}={spell(puzzles.options.get(name, ''))}, "
                f"not with {spell(value)}: leave that option out"
            )
    if puzzles.table_hash != rules.table_hash:
        remedy = f"make it again with: {puzzles.command}"
        raise AlquerqueError(made_for_other_rules(f"puzzle file {file}", puzzles.table_hash, rules.table_hash, remedy))
    for number, puzzle in enumerate(puzzles.puzzles, 1):
        if len(puzzle.missed) != len(puzzles.bots) or set(puzzle.missed) - {"0", "1"}:
            raise AlquerqueError(f"{file}: puzzle {number} has no grade by {len(puzzles.bots)} bots")
    return puzzles


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
