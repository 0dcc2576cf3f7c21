"""The boards of the package, by name."""

import tomllib
from pathlib import Path

from alquerque_env.game import board_file
from alquerque_env.game.board import Board

FOLDER = Path(board_file.__file__).parent / "boards"
NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))


def shipped_board(name: str) -> Board:
    return board_file.parse_board(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")), name)
