"""The configs in the package, named by their file names without the suffix."""

import os
from pathlib import Path

from alquerque_env.errors import AlquerqueError, UnknownNameError
from alquerque_env.game.game import games

_PACKAGE = Path(__file__).parents[1]
FOLDERS = (_PACKAGE / "configs", _PACKAGE.parents[1] / "configs")
"""Folders of the configs: inside the package in a wheel, at the top of a checkout."""


def shipped_configs() -> dict[str, Path]:
    """The file of each config, by its name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    return {} if folder is None else {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_config(given: str | Path) -> Path:
    """The file of a config.

    Args:
      given: Name of a config in the package, or a path. A name has precedence: write `./NAME` for a file of the same
        name.

    Raises:
      UnknownNameError: If there is neither such a name nor such a path.
      AlquerqueError: If it is the id of a game.
    """
    known = shipped_configs()
    if path := known.get(str(given)):
        return path
    if not os.path.exists(given):  # false for names that no file can have, too
        if str(given) in games():
            raise AlquerqueError(f"{given!r} is a game and not a config: alquerque train {given} --minutes 10")
        raise UnknownNameError("config", str(given), known)
    return Path(given)
