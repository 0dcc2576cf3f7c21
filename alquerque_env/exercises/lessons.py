"""Lessons in the rules, each an exercise of one turn, and the file that has those of all games.

The file is JSON, compressed with gzip; `python -m tools.lessons` finds the lessons in a checkout, and writes it.
"""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from ..errors import AlquerqueError
from ..files.schema import Key, parse
from ..game.aim_text import spell_number
from ..game.game import Game, GameId, as_game
from ..game.options import with_article
from ..match.match import Match
from ..match.status_text import name_pieces
from .exercise import Exercise, check_line

FORMAT = "alquerque lessons 1"
SHIPPED = Path(__file__).parent / "lessons.json.gz"


@dataclass(frozen=True)
class Lesson:
    """An exercise of one turn that shows a theme.

    Attributes:
      theme: A key of `SENTENCES`.
      position: Text of the position.
      turn: The steps of the turn.
    """

    theme: str
    position: str
    turn: Annotated[tuple[str, ...], Key(low=1)]

    @property
    def exercise(self) -> Exercise:
        """The position and the one turn."""
        return Exercise(self.position, (self.turn,))


@dataclass(frozen=True)
class GameLessons:
    """The lessons of a game, and the hash of its rules."""

    table_hash: str
    lessons: Annotated[tuple[Lesson, ...], Key(low=1)]


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
    return found.lessons


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
    match = Match(game, lesson.position)
    own, enemy = match.player, 1 - match.player
    ends = {"origin": steps[0].origin, "target": steps[-1].target}
    victims = [point for step in steps for point in step.captured]
    is_promoted = steps[0].origin is not None and match.picture().pieces[steps[0].origin][1]
    return SENTENCES[lesson.theme].format(
        **{end: "" if point is None else game.board.labels[point] for end, point in ends.items()},
        man=with_article(name_pieces(match, own, 1)),
        king=game.promoted_piece,
        a_king=with_article(game.promoted_piece),
        piece=game.promoted_piece if is_promoted else name_pieces(match, own, 1),
        victim="".join(f"{name_pieces(match, enemy, 1)} on {game.board.labels[point]}" for point in victims[:1]),
        victims=f"{spell_number(len(victims))} {name_pieces(match, enemy, len(victims))}",
    )


SENTENCES = {
    "drop": "Drop {man} on {target}.",
    "step": "Move the {piece} on {origin} to {target}.",
    "removal": "Remove the {victim}.",
    "capture": "Capture the {victim}.",
    "compulsory capture": "A capture is compulsory: find the only legal move.",
    "row": "Capture {victims} with one step.",
    "chain": "Capture {victims} in one turn.",
    "bent leap": "Leap round the bend, over the {victim}.",
    "promotion": "Promote {man}: it becomes {a_king} on {target}.",
    "promoted piece": "Capture with the {king}.",
    "goal": "Win now: reach the goal.",
    "win by capture": "Win now by a capture.",
    "win by blocking": "Win now: leave your opponent without a move.",
}
"""What the player is to do in a lesson, for each theme, in the order in which they are learned."""
