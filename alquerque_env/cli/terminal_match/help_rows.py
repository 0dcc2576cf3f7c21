"""What may be typed while a match is played in the terminal."""

from collections.abc import Sequence
from typing import Any

HELP = (
    ("3", "play the third step of the list"),
    ("pass", "end the turn, where that is allowed"),
    ("undo", "go back to your previous turn"),
    ("hint", "ask a bot what it would play"),
    ("board", "show the board and the steps again"),
    ("rules", "show the rules of this game"),
    ("position", "show the position as text"),
    ("quit", "leave; the match is kept, and how to go on is printed"),
)


def help_rows(board: Any, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """How steps are typed, by points of the board that is played on, and then what else may be typed."""
    a, b, c, *others = (board.labels[point] for point in max(board.lines, key=len))
    return [
        (f"{a}-{b}, {a}x{c}", "play a step"),
        ("x".join((a, c, *others[1:2])), "play a whole turn"),
        (f"{a}x{c}^{b}", "say which piece is captured where there are two"),
        (a, f"show where the piece on {a} can go"),
        *rows,
    ]
