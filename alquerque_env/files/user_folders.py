"""The folders in which the package keeps files of a user: what can be made again, and the state of sessions."""

import os
from pathlib import Path

NOWHERE = Path(os.devnull, "no-home-folder")
"""Stands for the home folder of a user who has none: nothing can be in it, and it cannot be made (`OSError`)."""


def user_cache_folder() -> Path:
    """The folder for what can be made again, such as machine code and endgame tables. It need not exist."""
    return _folder("user_cache_dir")


def user_state_folder() -> Path:
    """The folder for what is kept between sessions, such as unfinished matches. It need not exist."""
    return _folder("user_state_dir")


def _folder(kind: str) -> Path:
    import platformdirs

    try:
        folder = Path(getattr(platformdirs, kind)("alquerque-env"))
    except RuntimeError:
        folder = Path()
    # Without a home folder older versions of platformdirs return a path below a folder `~` of the working folder.
    return folder if folder.is_absolute() else NOWHERE / "alquerque-env"
