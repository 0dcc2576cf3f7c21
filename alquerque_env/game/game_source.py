"""Where a game comes from: the package, a file that a user names, or the text that other files keep of such a file."""

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ..errors import LONGEST_PATH, RulesError, UnknownNameError, did_you_mean, shorten
from ..files.schema import show
from .definition import Definition
from .game_file import SUFFIX, check_name, define_game, find_definition, games, read_game_file, read_text


def find_game(name: str | os.PathLike[str]) -> Definition:
    """The game with an id, or the one in a file: a path ends in `.toml`, and `~` stands for the home folder.

    Raises:
      UnknownNameError: If there is no such game.
      RulesError: If there is no such file, it cannot be read or does not describe a game, or its name cannot be the id
        of a game. The message has the nearest name of another file.
    """
    if isinstance(name, os.PathLike) or (isinstance(name, str) and names_file(name)):
        return _read(os.fspath(name))
    if not isinstance(name, str):
        raise UnknownNameError("game", name, games())
    if name not in games():
        if os.path.isfile(f"{name}{SUFFIX}"):
            raise UnknownNameError("game", name, games(), near=f"{name}{SUFFIX}")
        if os.path.lexists(name) or os.path.basename(name) != name or Path(name).suffix:
            return _read(name)
    return find_definition(name)


def names_file(name: str) -> bool:
    """Whether a text is the path of a game file rather than a game's id."""
    return name.endswith(SUFFIX)


@lru_cache(maxsize=64)
def define_text(name: str, text: str) -> Definition:
    """The game of which another file, or a pickle, keeps the id and `Definition.text`.

    Raises:
      RulesError: If they do not describe a game.
    """
    file = f"{name}{SUFFIX}"
    check_name(name, show(name))
    return define_game(read_text(text, file), file)


def _read(path: str) -> Definition:
    file = Path(os.path.expanduser(path))  # Path.expanduser raises where there is no home folder
    if file.suffix != SUFFIX:
        raise RulesError(f"{shorten(path, LONGEST_PATH)!r} is not the path of a game file, whose name ends in {SUFFIX}")
    if not os.path.lexists(file):
        # The ending, which all have, makes no name near. A name of the package is near a file of that name.
        near = [each.name for each in _beside(file) if did_you_mean(file.stem, [each.stem])]
        near += [name for name in games() if name == file.stem]
        raise RulesError(f"no game file {shorten(str(file), LONGEST_PATH)!r}{did_you_mean(file.name, near)}")
    check_name(file.stem, str(file))
    return replace(read_game_file(file), path=path)


def _beside(file: Path) -> list[Path]:
    try:
        return sorted(file.parent.glob(f"*{SUFFIX}"))
    except (OSError, ValueError):
        return []
