"""The configs in the package, named by their file names without the suffix."""

import os
from pathlib import Path

from alquerque_env.errors import UnknownNameError

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
    """
    known = shipped_configs()
    if path := known.get(str(given)):
        return path
    if not os.path.exists(given):  # false for names that no file can have, too
        raise UnknownNameError("config", str(given), known)
    return Path(given)
