"""Game files as a user writes them, for tests of games from files."""

from pathlib import Path

from alquerque_env.files.toml_text import format_toml

_GAME = """
title = "Small game"
version = 1
sources = ["an example"]
{board}
[start]
south = "a1 b1 c1"
north = "a3 b3 c3"
[rules]
man_steps = "all"
man_capture_dirs = "all"
promotion = "none"
progress = "capture"
no_moves = "loss"
capture_removal = "immediate"
repetition = "off"
no_progress_result = "{at_limit}"
who_starts = "player_0"
[options]
capture = {{ default = "compulsory", values = ["compulsory", "optional"], source = "an example" }}
chain = {{ default = "{chain}", values = ["compulsory", "optional", "single"], source = "an example" }}
no_progress_limit = {{ default = 20, values = ["off", "N"], source = "an example" }}
"""

BOARD = """
title = "Small board"
rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2]]
lines = [
  "a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "c1 b2 a3",
]
"""


def game_text(*, at_limit: str = "draw", chain: str = "compulsory", board: str = f"[board]\n{BOARD}") -> str:
    """The text of a game file of a game on nine points, whose rules the arguments change."""
    return _GAME.format(at_limit=at_limit, chain=chain, board=board)


def write_game(folder: Path, name: str = "mine", *, at_limit: str = "draw", chain: str = "compulsory") -> Path:
    """Writes a game file with its board in it."""
    file = folder / f"{name}.toml"
    file.write_text(game_text(at_limit=at_limit, chain=chain), encoding="utf-8")
    return file


def write_hunt(folder: Path, *schedule: str, goal: str = "", north: str = "") -> Path:
    """Writes the file of a hunt on the same points: South's tiger captures, and North's goats, who begin, do not.

    In the schedule North is `first` and South `second`.
    """
    lines = ", ".join(f'"{line}"' for line in schedule)
    text = game_text(board=f"schedule = [{lines}]\n[board]\n{BOARD}", chain="optional")
    sides = f'[south]\npiece = "tiger"\n[north]\npiece = "goat"\ncaptures = "none"\ngoal = "{goal}"\n[start]'
    for old, new in (
        ("[start]", sides),
        ('south = "a1 b1 c1"', 'south = "b2"'),
        ('north = "a3 b3 c3"', f'north = "{north}"'),
        ('who_starts = "player_0"', 'who_starts = "player_1"'),
        ('default = "compulsory", values = ["compulsory", "optional"]', 'default = "optional", values = ["optional"]'),
    ):
        text = text.replace(old, new, 1)
    file = folder / "hunt.toml"
    file.write_text(text, encoding="utf-8")
    return file


RULES: dict[str, object] = {
    "man_steps": "all",
    "man_capture_dirs": "all",
    "promotion": "none",
    "progress": "capture",
    "capture": "compulsory",
    "chain": "compulsory",
    "capture_removal": "immediate",
    "no_moves": "loss",
    "repetition": "off",
    "no_progress_limit": 20,
    "no_progress_result": "draw",
    "who_starts": "player_0",
}


def write_rules(
    folder: Path,
    name: str,
    board: dict[str, object],
    south: str,
    north: str,
    tables: dict[str, object] | None = None,
    **rules: object,
) -> Path:
    """Writes the file of a game on a board, with `RULES` but for the rules given, and with more tables if there are."""
    content = {
        "title": name.title(),
        "version": 1,
        "sources": ["an example"],
        "board": {"title": "Board", **board},
        "start": {"south": south, "north": north},
        "rules": RULES | rules,
        **(tables or {}),
    }
    file = folder / f"{name}.toml"
    file.write_text(f"{format_toml(content)}\n", encoding="utf-8")
    return file
