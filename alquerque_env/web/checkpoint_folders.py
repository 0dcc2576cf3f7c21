"""The checkpoints below the folders that the server was started with: what is there, and one by its name."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ..bots.network.model_card import read_card
from ..bots.shipped import META, WEIGHTS
from ..errors import AlquerqueError, BotError, shorten
from ..game.game import Game
from .bot_pool import as_trained

DEEPEST = 4  # a sweep, a run, `checkpoints` and the checkpoint itself
MOST_FOLDERS, MOST_SHOWN = 10_000, 50  # that are looked into, and checkpoints that are listed


class CheckpointFolders:
    """Folders below which checkpoints may be opened, and the titles of games by their ids.

    Links that lead out of the folders are not followed.
    """

    def __init__(self, folders: Sequence[Path], titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._folders = [folder.resolve() for folder in folders]
        self.names = [folder.name for folder in self._folders]

    def find(self, text: str) -> Path:
        """A checkpoint, or the newest one of a run, named from one of the folders on or as a whole path.

        Errors tell nothing of what is elsewhere.
        """
        if not self._folders:
            raise BotError("this server opens no checkpoints: start it with --checkpoints FOLDER")
        for folder in self._folders:
            with suppress(OSError, ValueError, RuntimeError):
                named = (folder / text).resolve()
                found = list(_below(named, folder)) if named.is_relative_to(folder) else []
                if named in found or (found and named != folder):
                    return named if named in found else max(found, key=_saved_at)
        raise BotError(
            f"there is no checkpoint {shorten(text)!r} below {' or '.join(self.names)}: "
            "name a folder such as run-1/checkpoints/final"
        )

    def show(self, chosen: Game) -> dict[str, Any]:
        """The newest checkpoints that can be read, newest first, and how each differs from the chosen game."""
        found = {path: folder for folder in self._folders for path in _below(folder, folder)}
        shown = []
        for path in sorted(found, key=_saved_at, reverse=True)[:MOST_SHOWN]:
            with suppress(AlquerqueError, OSError):
                card, name = read_card(path), path.relative_to(found[path]).as_posix()
                game = "all games" if card.plays_all else self._titles.get(card.game, card.game)
                fits = card.plays_all or (card.game == chosen.name and as_trained(card, chosen) == chosen)
                differs = "" if fits else " (other rules)" if card.game == chosen.name else " (another game)"
                about = f"{game}, {card.steps:,} steps{differs}"
                shown.append({"folder": name, "about": about, "at": _saved_at(path)[0]})
        return {"checkpoints": shown}


def _below(start: Path, folder: Path) -> Iterator[Path]:
    """The checkpoints in or below a place that is a folder of the server or inside it."""
    for path, names, _ in islice(os.walk(start), MOST_FOLDERS):
        here = Path(path)
        if len(here.relative_to(folder).parts) >= DEEPEST:
            names.clear()
        files = [(here / name).resolve() for name in (META, WEIGHTS)]
        if all(file.is_relative_to(folder) and file.is_file() for file in files):
            yield here


def _saved_at(path: Path) -> tuple[float, str]:
    """In seconds; of checkpoints that were saved at once the last by name is the newest."""
    return (path / META).stat().st_mtime, path.name
