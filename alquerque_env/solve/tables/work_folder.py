"""The folder of unfinished work on a table, its building or its verification.

It has values in files mapped into memory, and a list of the groups that are done.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...engine.source_digest import source_digest
from ...errors import TableError
from ...files.mapped import map_file
from ...files.schema import parse
from ..notes import cannot_write, damaged, read_notes, write_notes
from .index import Index, has_notes
from .value_codes import UNKNOWN

VALUES, LIMITED, PROGRESS = "values.int16", "limited.int16", "progress.json"

_SUMMED_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class _Done:
    notes: dict[str, int]
    sums: dict[str, str]  # for each file of codes the SHA-256 of what was added to it
    seconds: float  # of processor time


class Work:
    """Unfinished work on a table, whose lock the caller holds; what is in the folder already is checked and resumed.

    It has int16 `[N]` `values`, the codes of all positions. Raises `TableError` if the folder holds the work on
    something else, is damaged, or has too little room.

    Args:
      index: The index of the table.
      folder: The folder.
      code: The module that does the work. What other code has begun is refused.
      of: What else tells this work from other work.
      report: Called with how many positions of earlier work are checked.
    """

    def __init__(
        self,
        index: Index,
        folder: Path,
        *,
        code: str,
        of: Mapping[str, str] = MappingProxyType({}),
        report: Callable[[int], None] | None = None,
    ) -> None:
        self.index = index
        self.folder = folder
        self._report = report or (lambda _done: None)
        self._done: tuple[_Done, ...] = ()
        self._began = time.process_time()
        self._opened: dict[str, np.memmap] = {}
        self._ends = [parts[-1].base + parts[-1].size for parts in index.groups]
        game = index.game
        self._identity = {
            "game": game.name,
            "table_hash": game.table_hash,
            "pieces": index.pieces,
            "code": source_digest(Path(code)),
            **of,
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / PROGRESS).exists():
                self._done = read_notes(folder / PROGRESS, self._identity, self._parse)
            else:
                self._write()  # says what the files are about before there are any
            self.values = self.open(VALUES)
        except OSError as error:
            raise TableError(f"cannot work in {folder}: {error.strerror or error}") from None

    @property
    def done(self) -> list[dict[str, int]]:
        """The notes on each group that is done."""
        return [each.notes for each in self._done]

    @property
    def seconds(self) -> float:
        """The processor time of the groups that are done, earlier work included."""
        return sum(each.seconds for each in self._done)

    def open(self, name: str) -> np.memmap:
        """int16 `[N]`, a file of codes, UNKNOWN for groups not done; `TableError` if it is damaged or lacks room."""
        file = self.folder / name
        is_resumed = any(name in each.sums for each in self._done)
        try:
            if is_resumed:
                if not file.is_file() or file.stat().st_size != 2 * self.index.size:
                    raise damaged(file)
            else:
                file.unlink(missing_ok=True)
            codes = map_file(file, np.int16, self.index.size)
        except OSError as error:
            raise cannot_write(file, error) from None
        if is_resumed:
            self._check(file, codes)
            codes[self._ends[len(self._done) - 1] :] = UNKNOWN
        self._opened[name] = codes
        return codes

    def finish(self, notes: Mapping[str, int]) -> None:
        """Notes that a group is done, after its values are written to disk, or raises `TableError`."""
        sums = {}
        end = self._ends[len(self._done)]
        for name, codes in self._opened.items():
            try:
                codes.flush()
            except OSError as error:
                raise cannot_write(self.folder / name, error) from None
            sums[name] = _sum(codes[self._begin(name) : end])
        now = time.process_time()
        self._done += (_Done(dict(notes), sums, now - self._began),)
        self._began = now
        self._write()

    def _check(self, file: Path, codes: np.ndarray) -> None:
        """Compares a file of earlier work with its checksums."""
        begin = 0
        for each, end in zip(self._done, self._ends, strict=False):
            if file.name in each.sums:
                if _sum(codes[begin:end]) != each.sums[file.name]:
                    raise damaged(file)
                begin = end
                self._report(end)

    def _begin(self, name: str) -> int:
        """How many codes of a file have a checksum."""
        return max((end for each, end in zip(self._done, self._ends, strict=False) if name in each.sums), default=0)

    def _parse(self, notes: dict[str, Any]) -> tuple[_Done, ...]:
        done = parse(tuple[_Done, ...], notes["done"], PROGRESS, TableError, "done")
        has_sums = all(VALUES in each.sums for each in done)
        if len(done) > len(self._ends) or not (has_sums and all(has_notes(self.index, each.notes) for each in done)):
            raise ValueError
        return done

    def _write(self) -> None:
        write_notes(self.folder / PROGRESS, self._identity, {"done": [asdict(each) for each in self._done]})


def _sum(codes: np.ndarray) -> str:
    """The SHA-256 of codes; in parts, so that Ctrl-C does not wait for all."""
    found = hashlib.sha256()
    for begin in range(0, len(codes), _SUMMED_AT_ONCE):
        found.update(codes[begin : begin + _SUMMED_AT_ONCE].data)
    return found.hexdigest()
