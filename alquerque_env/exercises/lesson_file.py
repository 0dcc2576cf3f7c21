"""The file of the lessons of all games: JSON, compressed with gzip.

`python -m tools.lessons` makes it in a checkout.
"""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from ..errors import AlquerqueError
from ..files.schema import Key, parse
from ..game.game import Game, GameId, as_game
from .exercise import Exercise
from .lessons import Lesson

FORMAT = "alquerque lessons 1"
SHIPPED = Path(__file__).parent / "lessons.json.gz"


@dataclass(frozen=True)
class LessonEntry:
    """A lesson as the file has it: its theme, the text of its position, and the steps of its turn."""

    theme: str
    position: str
    turn: Annotated[tuple[str, ...], Key(low=1)]


@dataclass(frozen=True)
class GameLessons:
    """The lessons of a game, and the hash of its rules."""

    table_hash: str
    lessons: Annotated[tuple[LessonEntry, ...], Key(low=1)]


@dataclass(frozen=True)
class LessonFile:
    """What the file has."""

    format: str
    command: str  # the command that made the file
    games: dict[str, GameLessons]


def load_lessons(game: Game | GameId) -> tuple[Lesson, ...]:
    """Reads the lessons of a game.

    Example:
      >>> [lesson.theme for lesson in load_lessons("bagh_chal")][:2]
      ['drop', 'step']

    Args:
      game: The game, its id, or the path of a game file.

    Returns:
      The lessons, in the order in which they are taught.

    Raises:
      AlquerqueError: If there are none for the game with these options.
    """
    rules = as_game(game)
    found = _read().games.get(rules.name)
    if found is None or found.table_hash != rules.table_hash:
        what = rules.name if found is None else f"{rules.name} with these options"
        raise AlquerqueError(f"there are no lessons for {what}; every game of the package has some with its own rules")
    return tuple(Lesson(entry.theme, Exercise(entry.position, (entry.turn,))) for entry in found.lessons)


@cache
def _read() -> LessonFile:
    found = parse(LessonFile, json.loads(gzip.decompress(SHIPPED.read_bytes())), SHIPPED.name)
    if found.format != FORMAT:
        raise AlquerqueError(f"{SHIPPED} is not of this version: expected {FORMAT!r}; install the package again")
    return found
