"""A game file and the files that it names as one text, by which a game is pickled and kept in other files."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import RulesError
from ..files.schema import show

MOST_TEXT = 30_000
"""Characters of the longest text, about five times that of the largest game of the package."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
"""What the name of a game file may be, without its ending. It is part of names of files and of commands."""


def write_text(tables: Mapping[str, Any], file: str) -> str:
    """Writes the tables of a game file, which errors call `file`, as one line of ASCII: JSON.

    Raises:
      RulesError: If the text is too long.
    """
    text = json.dumps(tables, separators=(",", ":"))
    if len(text) > MOST_TEXT:
        raise RulesError(
            f"{file}: the game with its boards has {len(text):,} characters, expected {MOST_TEXT:,} at most: "
            "shorten its sources"
        )
    return text


def read_text(text: str, file: str) -> dict[str, Any]:
    """Reads such a text; its tables are not checked.

    Raises:
      RulesError: If it is too long, or not the JSON of tables.
    """
    if len(text) > MOST_TEXT:
        raise RulesError(f"{file}: the text of the game has {len(text):,} characters, expected {MOST_TEXT:,} at most")
    try:
        tables = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{file}: the text of the game is not valid JSON: {error}") from None
    if not isinstance(tables, dict):
        raise RulesError(f"{file}: the text of the game is {show(tables)}, expected a table")
    return tables


def check_name(name: str, file: str) -> None:
    """Checks the name of a game file without its ending, which becomes the id of the game.

    Raises:
      RulesError: If it has other characters than letters, digits, `_` and `-`, or is too long.
    """
    if not NAME.fullmatch(name):
        raise RulesError(
            f"{file}: the name of the file becomes the id of the game, but {show(name)} is not made of letters a to z, "
            "digits, _ and -, beginning with a letter or digit, 60 at most: rename the file"
        )
