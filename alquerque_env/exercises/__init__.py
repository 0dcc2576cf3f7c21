"""Positions to solve by doing: puzzles from exact values, and lessons in the rules.

Example:
  >>> from alquerque_env.exercises import load_puzzles
  >>> puzzles = load_puzzles("fetaix").puzzles
  >>> len(puzzles), puzzles[0].exercise.position.count(":")
  (300, 2)
"""

from typing import TYPE_CHECKING, Any

from .exercise import Attempt, Exercise, find_missed_wins, refute
from .lessons import Lesson, load_lessons, task
from .puzzle_set import Puzzle, PuzzleSet, games_with_puzzles, load_puzzles

if TYPE_CHECKING:
    from .solved_share import SolvedShare, measure_puzzles

__all__ = [
    "Attempt",
    "Exercise",
    "Lesson",
    "Puzzle",
    "PuzzleSet",
    "SolvedShare",
    "find_missed_wins",
    "games_with_puzzles",
    "load_lessons",
    "load_puzzles",
    "measure_puzzles",
    "refute",
    "task",
]


def __getattr__(name: str) -> Any:
    # Imported when they are asked for: measuring needs bots and their kernels, solving does not.
    if name not in ("SolvedShare", "measure_puzzles"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import solved_share

    return getattr(solved_share, name)
