"""Games with few choices or none, as game files."""

from pathlib import Path

from tests.own_games import write_rules

_LINE = {"rows": [[0]] * 5, "lines": ["a1 a2 a3 a4 a5"]}

WITHOUT_CHOICE = {
    # Two men walk towards each other.
    "forced": {**_LINE, "south": "a1", "north": "a5"},
    # The only step captures the last piece.
    "at_once": {"rows": [[0]] * 3, "lines": ["a1 a2 a3"], "south": "a1", "north": "a2"},
}
WITH_FEW_CHOICES = {
    # Each player may choose a side with the first step; everything later is forced.
    "fork": {
        "rows": [[1], [0, 2], [0, 2], [1]],
        "lines": ["b1 a2", "b1 c2", "a2 a3", "c2 c3", "a3 b4", "c3 b4"],
        "south": "b1",
        "north": "b4",
    },
    # The first step is forced, and the choices come after it.
    "late": {
        "rows": [[1], [1], [0, 2], [1]],
        "lines": ["b1 b2", "b2 a3", "b2 c3", "a3 b4", "c3 b4"],
        "south": "b1",
        "north": "b4",
    },
}
GAMES = {**WITHOUT_CHOICE, **WITH_FEW_CHOICES}


def write_forced_game(folder: Path, name: str) -> Path:
    """Writes the file of a game of `GAMES`."""
    board = {key: GAMES[name][key] for key in ("rows", "lines")}
    sides = {side: GAMES[name][side] for side in ("south", "north")}
    return write_rules(
        folder, name, board, **sides, man_steps="forward", man_capture_dirs="forward", no_progress_limit=10
    )
