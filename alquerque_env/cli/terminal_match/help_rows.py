"""What a player can type during a match in the terminal."""

from collections.abc import Sequence
from typing import Any

HELP = (
    ("pass", "end the turn, where the rules allow it"),
    ("undo", "go back to your previous turn"),
    ("hint", "show what a bot would play"),
    ("board", "draw the board and list the steps again"),
    ("rules", "show the rules of this game"),
    ("position", "show the position as text"),
    ("quit", "leave and keep the match; prints how to resume it"),
)


def help_rows(board: Any, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """How steps are typed, with points of this board as examples, followed by other rows."""
    a, b, c, *others = (board.labels[point] for point in board.longest_line)
    return [
        (f"{a}-{b}, {a}x{c}", "play a step"),
        ("x".join((a, c, *others[1:2])), "play a whole turn"),
        (f"{a}x{c}^{b}", f"capture the piece on {b}, if the step could capture another"),
        *(() if board.has_numbers else ((a, f"show where the piece on {a} can go"),)),
        ("3", "play the third step of the list"),
        *rows,
    ]
