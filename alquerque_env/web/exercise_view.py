"""What the page shows of exercises: the lessons and puzzles of a game, and missed wins of a match."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..exercises.exercise import Exercise, find_missed_wins
from ..exercises.lessons import load_lessons, task
from ..exercises.puzzle_rating import FIRST, GAIN, SCALE
from ..exercises.puzzle_set import load_puzzles
from ..game.aim_text import seats
from ..game.game import Game
from ..match.match import Match
from ..match.variations import first_place

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues

ELO = {"first": FIRST, "scale": SCALE, "gain": GAIN}
"""What the page needs to rate a person."""


def show_exercise(exercise: Exercise) -> dict[str, Any]:
    """An exercise: its position, and its turns as the texts of their steps."""
    return {"position": exercise.position, "line": [list(turn) for turn in exercise.line]}


@lru_cache(maxsize=64)
def show_lessons(game: Game) -> dict[str, Any]:
    """The lessons of a game, each with what to do in a sentence."""
    lessons = load_lessons(game)
    shown = ({"theme": each.theme, "task": task(game, each), **show_exercise(each.exercise)} for each in lessons)
    return {"exercises": [*shown]}


@lru_cache(maxsize=16)
def show_puzzles(game: Game) -> dict[str, Any]:
    """The puzzles of a game, those of the lowest grade first."""
    return {
        "exercises": [
            {
                "task": _task(game, puzzle.position),
                "distance": puzzle.distance,
                "rating": puzzle.rating,
                "missed": puzzle.grade,
                "source": puzzle.source,
                "tags": list(puzzle.tags),
                **show_exercise(puzzle.exercise),
            }
            for puzzle in load_puzzles(game).puzzles
        ],
    }


def show_missed(
    match: Match, players: Sequence[int], table: "MatchValues | None", proof: "ProvedSteps | None"
) -> dict[str, Any]:
    """The positions of a match in which these sides missed the only win; `known` is whether anything is known of it."""
    return {
        "known": table is not None or proof is not None,
        "exercises": [
            {
                "task": _task(match.game, exercise.position),
                "number": (first_place(match) + turns) // 2 + 1,
                **show_exercise(exercise),
            }
            for turns, exercise in find_missed_wins(match, players, table, proof)
        ],
    }


def _task(game: Game, position: str) -> str:
    return f"{seats(game)[position[0] == 'B']} Find the only move that wins."
