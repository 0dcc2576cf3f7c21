"""The folder with the work on a table: values as files that are mapped into memory, and a list of what is done."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import TableError
from ...files.atomic import write_whole
from . import index_layout as x
from .index import Index

VALUES, LIMITED, PROGRESS = "values.int16", "limited.int16", "progress.json"


class Work:
    """Work in progress.

    Args:
      index: What is being solved.
      folder: Where it lies; what is there already is gone on with.

    Attributes:
      done: What has been noted of each group that is done.
      values: int16 `[N]`, the codes of all positions.

    Raises:
      TableError: If the folder holds the work on something else, or is damaged.
    """

    def __init__(self, index: Index, folder: Path) -> None:
        self.index = index
        self.folder = folder
        self._identity = {"game": index.game.name, "table_hash": index.game.table_hash, "pieces": index.pieces}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.done: list[dict[str, Any]] = self._read()
            self.values = self.open(VALUES)
            if not self.done:
                self._write()
        except OSError as error:
            raise TableError(f"cannot work in {folder}: {error.strerror or error}") from None

    def open(self, name: str) -> np.memmap:
        """int16 `[N]`, a file of codes; those of groups that are not done are unknown."""
        file = self.folder / name
        size = 2 * self.index.size
        if self.done and name == VALUES and (not file.exists() or file.stat().st_size != size):
            raise TableError(f"{file} is damaged: delete {self.folder} to begin again")
        is_kept = self.done and file.exists() and file.stat().st_size == size
        codes = np.memmap(file, np.int16, "r+" if is_kept else "w+", shape=(self.index.size,))
        if is_kept:
            last = self.index.groups[len(self.done) - 1][-1]
            codes[last.base + last.size :] = x.UNKNOWN
        return codes

    def finish(self, notes: dict[str, Any], *changed: np.memmap) -> None:
        """Notes that a group is done, once its values are safe."""
        for codes in (self.values, *changed):
            codes.flush()
        self.done.append(notes)
        self._write()

    def _write(self) -> None:
        write_whole(self.folder / PROGRESS, json.dumps({**self._identity, "done": self.done}).encode())

    def _read(self) -> list[dict[str, Any]]:
        file = self.folder / PROGRESS
        if not file.exists():
            return []
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            done = list(found.pop("done"))
        except (ValueError, KeyError, AttributeError, TypeError):
            raise TableError(f"{file} is damaged: delete {self.folder} to begin again") from None
        if found != self._identity:
            raise TableError(f"{self.folder} holds the work on {found}, not on {self._identity}; delete it")
        return done
