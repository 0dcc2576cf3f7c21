"""The folder of unfinished work on a table, its building or its verification.

It has values in files mapped into memory, and a list of the groups that are done.
"""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...engine.source_digest import source_digest
from ...errors import TableError
from ...files.mapped import map_file
from ...files.schema import parse
from ...progress import Progress, Watch
from ..notes import cannot_write, damaged, read_notes, write_notes
from .index import Index, has_clock, has_notes
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

    It has int16 `[N]` `values`, the codes of all positions, UNKNOWN for groups not done; and where the limit of plies
    without progress is studied `limited`, codes of who wins under it. Raises `TableError` if the folder holds the work
    on something else, is damaged, or has too little room.

    Args:
      index: The index of the table.
      folder: The folder.
      code: The module that does the work. What other code has begun is refused.
      of: What else tells this work from other work.
      watch: Called with how many positions of earlier work are checked.
    """

    def __init__(
        self,
        index: Index,
        folder: Path,
        *,
        code: str,
        of: Mapping[str, str] = MappingProxyType({}),
        watch: Watch,
    ) -> None:
        self.index = index
        self.folder = folder
        self._watch = watch
        self._done: tuple[_Done, ...] = ()
        self._began = time.process_time()
        self._ends = [parts[-1].end for parts in index.groups]
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
        except OSError as error:
            raise TableError(f"cannot work in {folder}: {error.strerror or error}") from None
        self.values = self.limited = self._open(VALUES)
        self._files = {VALUES: self.values}
        if has_clock(index):
            self.limited = self._files[LIMITED] = self._open(LIMITED)

    @property
    def done(self) -> list[dict[str, int]]:
        """The notes on each group that is done."""
        return [each.notes for each in self._done]

    @property
    def seconds(self) -> float:
        """The processor time of the groups that are done, earlier work included."""
        return sum(each.seconds for each in self._done)

    @property
    def end(self) -> int:
        """The first number of the groups that are not done."""
        return self._ends[len(self._done) - 1] if self._done else 0

    @property
    def differs(self) -> bool:
        """Whether the limit changes a value of the groups that are done."""
        return any(each.notes.get("changed") for each in self._done)

    def finish(self, notes: Mapping[str, int]) -> None:
        """Notes that a group is done, after its values are written to disk, or raises `TableError`."""
        sums = {}
        place = slice(self.end, self._ends[len(self._done)])
        for name, codes in self._files.items():
            try:
                codes.flush()
            except OSError as error:
                raise cannot_write(self.folder / name, error) from None
            sums[name] = _sum(codes[place])
        now = time.process_time()
        self._done += (_Done(dict(notes), sums, now - self._began),)
        self._began = now
        self._write()

    def _open(self, name: str) -> np.memmap:
        """A file of codes, those of earlier work compared with their checksums."""
        file = self.folder / name
        try:
            if not self._done:
                file.unlink(missing_ok=True)
            elif not file.is_file() or file.stat().st_size != 2 * self.index.size:
                raise damaged(file)
            codes = map_file(file, np.int16, self.index.size)
        except OSError as error:
            raise cannot_write(file, error) from None
        begin = 0
        for each, end in zip(self._done, self._ends, strict=False):
            if _sum(codes[begin:end]) != each.sums.get(name):
                raise damaged(file)
            begin = end
            self._watch(Progress("checking", end, self.index.size, "earlier work"))
        if self._done:
            codes[begin:] = UNKNOWN
        return codes

    def _parse(self, notes: dict[str, Any]) -> tuple[_Done, ...]:
        done = parse(tuple[_Done, ...], notes["done"], PROGRESS, TableError, "done")
        if len(done) > len(self._ends) or not all(has_notes(self.index, each.notes) for each in done):
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
