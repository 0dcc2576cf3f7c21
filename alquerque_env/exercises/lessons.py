"""Lessons in the rules, each an exercise of one turn, and the file that has those of all games.

The file is JSON, compressed with gzip; `python -m tools.lessons` finds the lessons in a checkout, and writes it.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

from ..errors import AlquerqueError
from ..files.schema import Key, parse
from ..game.game import Game, GameId, as_game
from ..game.options import with_article
from ..game.step import Step
from ..match.match import Match
from ..match.status_text import name_pieces
from .exercise import Exercise, check_line

FORMAT = "alquerque lessons 1"
SHIPPED = Path(__file__).parent / "lessons.json.gz"


class Lesson(NamedTuple):
    """An exercise that shows a theme.

    Attributes:
      theme: A key of `SENTENCES`.
      exercise: The position and the one turn.
    """

    theme: str
    exercise: Exercise


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


def task(game: Game, lesson: Lesson) -> str:
    """Returns what the player is to do in a lesson, in a sentence.

    Raises:
      AlquerqueError: If its line is not legal in this game.
    """
    steps = check_line(game, lesson.exercise).steps
    return SENTENCES[lesson.theme](Match(game, lesson.exercise.position), steps)


def _label(match: Match, point: int | None) -> str:
    return "" if point is None else match.game.board.labels[point]


def _piece(match: Match, step: Step) -> str:
    """What the piece that moves is called."""
    is_promoted = step.origin is not None and match.picture().pieces[step.origin][1]
    return match.game.promoted_piece if is_promoted else name_pieces(match, match.player, 1)


_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def _victims(match: Match, steps: Sequence[Step]) -> str:
    """All pieces that a turn takes, with their number."""
    count = sum(len(step.captured) for step in steps)
    return f"{_NUMBERS.get(count, str(count))} {name_pieces(match, 1 - match.player, count)}"


def _victim(match: Match, steps: Sequence[Step]) -> str:
    """The first piece that a turn takes, with its point."""
    victims = [point for step in steps for point in step.captured]
    return f"{name_pieces(match, 1 - match.player, 1)} on {_label(match, victims[0])}"


SENTENCES: dict[str, Callable[[Match, Sequence[Step]], str]] = {
    "drop": lambda match, steps: (
        f"Drop {with_article(name_pieces(match, match.player, 1))} on {_label(match, steps[0].target)}."
    ),
    "step": lambda match, steps: (
        f"Move the {_piece(match, steps[0])} on {_label(match, steps[0].origin)} to {_label(match, steps[0].target)}."
    ),
    "removal": lambda match, steps: f"Remove the {_victim(match, steps)}.",
    "capture": lambda match, steps: f"Capture the {_victim(match, steps)}.",
    "compulsory capture": lambda *_: "A capture is compulsory: find the only legal move.",
    "row": lambda match, steps: f"Capture {_victims(match, steps)} with one step.",
    "chain": lambda match, steps: f"Capture {_victims(match, steps)} in one turn.",
    "bent leap": lambda match, steps: f"Leap round the bend, over the {_victim(match, steps)}.",
    "promotion": lambda match, steps: (
        f"Promote {with_article(name_pieces(match, match.player, 1))}: it becomes "
        f"{with_article(match.game.promoted_piece)} on {_label(match, steps[-1].target)}."
    ),
    "promoted piece": lambda match, _: f"Capture with the {match.game.promoted_piece}.",
    "goal": lambda *_: "Win now: reach the goal.",
    "win by capture": lambda *_: "Win now by a capture.",
    "win by blocking": lambda *_: "Win now: leave your opponent without a move.",
}
"""What the player is to do in a position by these steps, for each theme, in the order in which they are learned."""
