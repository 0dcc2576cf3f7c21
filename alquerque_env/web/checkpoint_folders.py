"""Checkpoints that the page may open while the server runs: those below folders named when it was started."""

from collections.abc import Sequence
from pathlib import Path

from ..bots.shipped import META, WEIGHTS
from ..errors import BotError, shorten


class CheckpointFolders:
    """Folders below which checkpoints may be opened. Links that lead out of them are not followed.

    Attributes:
      names: The folders as the page calls them, without the folders that they are in.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [folder.resolve() for folder in folders]
        self.names = [folder.name for folder in self._folders]

    def find(self, text: str) -> Path:
        """Returns the folder of a checkpoint, named from one of the folders on or as a whole path.

        Raises:
          BotError: If no checkpoints may be opened, or there is none of this name below the folders. The message tells
            nothing of what is elsewhere.
        """
        if not self._folders:
            raise BotError("this server opens no checkpoints: start it with --checkpoints FOLDER")
        for folder in self._folders:
            try:
                found = (folder / text).resolve()
                files = [(found / name).resolve() for name in (META, WEIGHTS)]
                if all(file.is_relative_to(folder) and file.is_file() for file in files):
                    return found
            except (OSError, ValueError, RuntimeError):
                continue
        raise BotError(
            f"there is no checkpoint {shorten(text)!r} below {' or '.join(self.names)}: "
            "name a folder such as run-1/checkpoints/final"
        )
