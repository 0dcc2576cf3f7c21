"""The folder of an unfinished table: values in files mapped into memory, and a list of the groups that are done."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...errors import TableError, made_for_other_rules
from ...files.atomic import write_whole
from . import index_layout as x
from .index import Index

VALUES, LIMITED, PROGRESS = "values.int16", "limited.int16", "progress.json"

T = TypeVar("T")


def read_notes(file: Path, identity: Mapping[str, Any], parse: Callable[[dict[str, Any]], T]) -> T:
    """Reads the JSON notes of unfinished work.

    Args:
      file: The notes.
      identity: What is being solved, as the notes begin.
      parse: Makes a result of the rest of the notes; what it raises means that they are damaged.

    Raises:
      TableError: If the notes are damaged or are about something else.
    """
    try:
        rest = json.loads(file.read_text(encoding="utf-8"))
        found = {name: rest.pop(name) for name in identity if name in rest}
        result = parse(rest)
    except (ValueError, KeyError, AttributeError, TypeError):
        raise TableError(f"{file} is damaged: delete {file.parent} to begin again") from None
    hashes = found.get("table_hash"), identity["table_hash"]
    if found.get("game") == identity["game"] and hashes[0] != hashes[1]:
        what, remedy = f"the unfinished work in {file.parent}", "delete that folder to begin again"
        raise TableError(made_for_other_rules(what, *hashes, remedy))
    if found != identity:
        raise TableError(f"{file.parent} holds the work on {found}, not on {dict(identity)}; delete it")
    return result


class Work:
    """Unfinished work on a table. Work that is in the folder already is resumed.

    Attributes:
      done: Notes on each group that is done.
      values: int16 `[N]`, the codes of all positions.

    Raises:
      TableError: If the folder holds the work on something else, or is damaged.
    """

    def __init__(self, index: Index, folder: Path) -> None:
        self.index = index
        self.folder = folder
        self.done: list[dict[str, Any]] = []
        self._opened: list[np.memmap] = []
        self._identity = {"game": index.game.name, "table_hash": index.game.table_hash, "pieces": index.pieces}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / PROGRESS).exists():
                self.done = read_notes(folder / PROGRESS, self._identity, lambda notes: list(notes["done"]))
            self.values = self.open(VALUES)
            if not self.done:
                self._write()
        except OSError as error:
            raise TableError(f"cannot work in {folder}: {error.strerror or error}") from None

    def open(self, name: str) -> np.memmap:
        """int16 `[N]`, a file of codes; UNKNOWN for groups that are not done."""
        file = self.folder / name
        size = 2 * self.index.size
        has_size = file.exists() and file.stat().st_size == size
        if self.done and name == VALUES and not has_size:
            raise TableError(f"{file} is damaged: delete {self.folder} to begin again")
        is_resumed = bool(self.done) and has_size
        codes = np.memmap(file, np.int16, "r+" if is_resumed else "w+", shape=(self.index.size,))
        if is_resumed:
            last = self.index.groups[len(self.done) - 1][-1]
            codes[last.base + last.size :] = x.UNKNOWN
        self._opened.append(codes)
        return codes

    def finish(self, notes: dict[str, Any]) -> None:
        """Notes that a group is done, after its values are written to disk."""
        for codes in self._opened:
            codes.flush()
        self.done.append(notes)
        self._write()

    def _write(self) -> None:
        write_whole(self.folder / PROGRESS, json.dumps({**self._identity, "done": self.done}).encode())
