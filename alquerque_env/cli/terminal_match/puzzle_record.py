"""What is kept of a person's puzzles in the user's state folder: the rating, and the puzzles that were tried."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ...errors import AlquerqueError
from ...exercises.puzzle_set import Puzzle
from ...exercises.rating import FIRST, rate_person
from ...files.atomic import write_whole
from ...files.regular import read_regular
from ...files.schema import parse
from ...files.user_folders import user_state_folder

_MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class PuzzleRecord:
    """A person's rating, and the puzzles that were tried, each with whether it was solved at once."""

    rating: float = FIRST
    tried: dict[str, bool] = field(default_factory=dict)

    def after(self, game: str, puzzle: Puzzle, *, solved: bool) -> "PuzzleRecord":
        """The record after a puzzle; one that was tried before changes no rating."""
        key = puzzle_key(game, puzzle)
        if key in self.tried:
            return self
        rating = rate_person(self.rating, puzzle.rating, solved=solved)
        return replace(self, rating=rating, tried={**self.tried, key: solved})


def puzzle_key(game: str, puzzle: Puzzle) -> str:
    """A short name of a puzzle, the same in every set that has it."""
    return f"{game}:{hashlib.sha256(puzzle.position.encode()).hexdigest()[:12]}"


def record_file() -> Path:
    """The file of the record."""
    return user_state_folder() / "puzzles.json"


def read_record() -> PuzzleRecord:
    """Reads the record; a new one if there is none. Raises `AlquerqueError` if the file cannot be used."""
    file = record_file()
    try:
        content = json.loads(read_regular(file, _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return PuzzleRecord()
    except OSError as error:
        raise AlquerqueError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise AlquerqueError(f"{file} is damaged: delete it to begin with a new rating") from None
    return parse(PuzzleRecord, content, str(file))


def write_record(record: PuzzleRecord) -> None:
    """Writes the record; raises `OSError` if it cannot."""
    file = record_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(asdict(record)).encode())
