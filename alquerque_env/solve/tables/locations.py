"""Where tables are kept: in the user's cache directory, under the game's name and the hash of its rules.

The environment variable `ALQUERQUE_TABLES` names another folder.
"""

import hashlib
import os
from pathlib import Path

import platformdirs

from ...errors import TableError
from ...game.game import Game
from ...match.match import Match
from .table_file import SUFFIX


def tables_folder() -> Path:
    """The folder of tables."""
    chosen = os.environ.get("ALQUERQUE_TABLES")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("alquerque-env")) / "tables"


def table_path(game: Game, pieces: int) -> Path:
    """The file of the table of a game with at most `pieces` pieces."""
    return tables_folder() / f"{_stem(game)}-{pieces}{SUFFIX}"


def proof_folder(match: Match, pieces: int) -> Path:
    """The folder of a proof-number search from a position, with a table of `pieces` pieces."""
    position = hashlib.sha256(match.position.encode()).hexdigest()[:8]
    return tables_folder() / f"{_stem(match.game)}-{position}-{pieces}.proof"


def find_table(game: Game) -> Path:
    """The file of the table of a game with the most pieces.

    Raises:
      TableError: If there is no table of the game.
    """
    found = {
        int(pieces): path
        for path in tables_folder().glob(f"{_stem(game)}-*{SUFFIX}")
        if (pieces := path.name.removesuffix(SUFFIX).rpartition("-")[2]).isdecimal()
    }
    if not found:
        command = " ".join(["alquerque solve", game.command_argument, *game.option_arguments, "--pieces 5"])
        raise TableError(f"there is no endgame table of {game.name} yet: build one with {command}")
    return found[max(found)]


def _stem(game: Game) -> str:
    return f"{game.name}-{game.table_hash}"
