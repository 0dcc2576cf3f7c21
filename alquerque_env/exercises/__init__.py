"""Positions to solve by doing: puzzles from exact values, and lessons in the rules.

Example:
  >>> from alquerque_env.exercises import load_puzzles
  >>> puzzles = load_puzzles("fetaix").puzzles
  >>> len(puzzles), puzzles[0].exercise.position.count(":")
  (300, 2)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exercise import Attempt, Exercise, find_missed_wins, refute
    from .lessons import Lesson, load_lessons, task
    from .puzzle_set import Puzzle, PuzzleSet, games_with_puzzles, load_puzzles
    from .solved_share import SolvedShare, measure_puzzles

# Loaded on first use: solving a puzzle needs neither NumPy nor bots, measuring does.
_LAZY = {
    "Attempt": ".exercise",
    "Exercise": ".exercise",
    "Lesson": ".lessons",
    "Puzzle": ".puzzle_set",
    "PuzzleSet": ".puzzle_set",
    "SolvedShare": ".solved_share",
    "find_missed_wins": ".exercise",
    "games_with_puzzles": ".puzzle_set",
    "load_lessons": ".lessons",
    "load_puzzles": ".puzzle_set",
    "measure_puzzles": ".solved_share",
    "refute": ".exercise",
    "task": ".lessons",
}

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
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name], __name__), name)
