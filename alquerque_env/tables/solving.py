"""Solves the slices of an index, group by group, on all processors; each group is a unit of work that is kept.

What has been solved lies in a folder: the values of all positions as one file that is mapped into memory, and a list of
the groups that are done. A run that was stopped goes on after the last of them.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import layout as e
from ..errors import TableError
from . import acyclic, retrograde
from . import layout as x
from .crew import LARGEST, SMALLEST, Crew
from .index import Index, Slice

LONGEST_TURN = 64
"""Steps of a turn for which there is room, at least."""

SECONDS_BETWEEN_REPORTS = 0.1

# What part of the work on a group its first passes are, for the progress.
_CLOSING, _BOUNDING = 0.5, 0.2


class SolveProgress(NamedTuple):
    """How far it is.

    Attributes:
      name: What the slice at hand is called.
      stage: What is being done.
      done: How much of the work is done, in positions.
      total: All positions.
    """

    name: str
    stage: str
    done: float
    total: int


Watch = Callable[[SolveProgress], None]


def memory_needed(index: Index) -> int:
    """Bytes that solving takes: two for each position, three more for each of the largest group, and the index."""
    largest = max(sum(part.size for part in group) for group in index.groups)
    words = sum(len(entries) + len(representatives) for entries, representatives in index.orbits)
    return 2 * index.size + (0 if is_acyclic(index) else 3 * largest) + 8 * words


def is_acyclic(index: Index) -> bool:
    """Whether no position can come again."""
    return not index.game.rules.can_shuffle


class Solver:
    """Solves an index into a folder.

    Args:
      index: What is to be solved.
      folder: Where the values are kept; what is there already is not done again.
      threads: How many kernels run at once; None for as many as there are processors.
      watch: Told now and then how far it is.

    Raises:
      TableError: If the folder holds the work on something else.
    """

    def __init__(self, index: Index, folder: Path, threads: int | None = None, watch: Watch | None = None) -> None:
        self.index = index
        self.watch = watch
        self._threads = threads
        self._work = _Work(index, folder)
        self._t = index.game.table.words
        self._done = float(sum(part.size for group in index.groups[: self._work.groups] for part in group))
        self._next_report = 0.0

    def run(self) -> np.ndarray:
        """Solves what is not solved yet; returns int16 `[N]`, the codes of all values."""
        self._x = self.index.words
        with Crew(self._threads) as self._crew:
            for number in range(self._work.groups, len(self.index.groups)):
                group = self.index.groups[number]
                if is_acyclic(self.index):
                    self._work_out(group)
                else:
                    self._analyse(group)
                self._work.finish(number)
        return self._work.values

    def _work_out(self, group: tuple[Slice, ...]) -> None:
        """Solves a group in which nothing can come again."""
        # A piece that walks forward and along rows without turning enters no point twice before the next capture.
        rows = 2 * LONGEST_TURN + 2 * len(self.index.game.board.points) * self.index.pieces
        shared = (self._t, self._x, self._work.values)
        self._check(group, self._each(group, "working out", 1.0, acyclic.work_out, shared, rows))

    def _analyse(self, group: tuple[Slice, ...]) -> None:
        """Solves a group by retrograde analysis."""
        size = sum(part.size for part in group)
        bounds, marks = np.zeros(size, np.int16), np.zeros(size, np.int8)
        shared = (self._t, self._x, self._work.values, bounds)
        first = group[0].base
        closing = self._each(group, "captures", _CLOSING, retrograde.close, (*shared, first), LONGEST_TURN)
        self._check(group, closing)
        most = max(self._each(group, "steps", _BOUNDING, retrograde.bound, (*shared, first)))
        marked = (*shared, marks, first)
        self._go_back(group, marked, most)
        self._decide(group, marked, retrograde.WITHOUT_END)
        uneven = group[0].own_men + group[0].own_kings != group[0].enemy_men + group[0].enemy_kings
        majority = uneven and self._majority_wins
        if majority:
            self._decide(group, marked, retrograde.DRAW_BY_FEWER)
        for part in group:
            ahead = part.own_men + part.own_kings > part.enemy_men + part.enemy_kings
            endless = x.DRAWN if not majority else x.ENDLESS if ahead else -x.ENDLESS
            self._each((part,), "rest", 0.0, retrograde.fill, (*shared, first), endless)
        self._done += (1 - _CLOSING - _BOUNDING) * size

    def _go_back(self, group: tuple[Slice, ...], marked: tuple, most: int) -> None:
        """Finds all wins and losses in a known number of plies."""
        ply = 1
        while ply <= most + 1:
            stage = f"ply {ply}"
            if sum(self._each(group, stage, 0.0, retrograde.spread, marked, ply, retrograde.PLIES)):
                most = max(most, ply, *self._each(group, stage, 0.0, retrograde.settle, marked, ply))
            ply += 1

    def _decide(self, group: tuple[Slice, ...], marked: tuple, what: int) -> None:
        """Finds what is won, lost or drawn by playing on for ever."""
        self._each(group, "endless play", 0.0, retrograde.mark_open, marked)
        while sum(self._each(group, "endless play", 0.0, retrograde.decide, marked, what)):
            self._each(group, "endless play", 0.0, retrograde.spread, marked, 0, retrograde.ROUNDS)

    @property
    def _majority_wins(self) -> bool:
        """Whether endless play is won by the player with more pieces. A rule of repetition ends it before."""
        t = self._t
        return bool(t[e.T_NO_PROGRESS_LIMIT] and t[e.T_NO_PROGRESS_MAJORITY] and not t[e.T_THREEFOLD])

    def _each(
        self, group: tuple[Slice, ...], stage: str, share: float, kernel: Callable, arguments: tuple, *last: Any
    ) -> list[Any]:
        """Lets a kernel work on all numbers of a group; `share` says how much of the work on it that is."""
        results = []
        for part in group:
            results += self._each_of(
                part, stage, share, lambda row, begin, end: kernel(*arguments, row, begin, end, *last)
            )
        return results

    def _each_of(self, part: Slice, stage: str, share: float, task: Callable[[int, int, int], Any]) -> list[Any]:
        def tell(count: int) -> None:
            self._done += share * count
            self._report(part, stage)

        chunk = SMALLEST if share else max(SMALLEST, min(LARGEST, part.size // (8 * self._crew.threads)))
        return self._crew.share(part.size, lambda begin, end: task(part.row, begin, end), chunk, tell)

    def _report(self, part: Slice, stage: str) -> None:
        now = time.monotonic()
        if self.watch and now >= self._next_report:
            self._next_report = now + SECONDS_BETWEEN_REPORTS
            self.watch(SolveProgress(part.name, stage, min(self._done, self.index.size), self.index.size))

    @staticmethod
    def _check(group: tuple[Slice, ...], failed: list[int]) -> None:
        if max(failed) >= 0:
            raise TableError(f"a turn in slice {group[0].name} is longer than there is room for")


class _Work:
    """The folder with the work in progress."""

    def __init__(self, index: Index, folder: Path) -> None:
        self.identity = {"game": index.game.name, "table_hash": index.game.table_hash, "pieces": index.pieces}
        self.size = index.size
        self.list = folder / "progress.json"
        file = folder / "values.int16"
        folder.mkdir(parents=True, exist_ok=True)
        self.groups = self._read()
        if self.groups and (not file.exists() or file.stat().st_size != 2 * index.size):
            raise TableError(f"{file} is damaged: delete {folder} to begin again")
        self.values = np.memmap(file, np.int16, "r+" if self.groups else "w+", shape=(index.size,))
        if not self.groups:
            self.finish(-1)
        else:
            kept = index.groups[self.groups - 1][-1]
            self.values[kept.base + kept.size :] = x.UNKNOWN

    def finish(self, group: int) -> None:
        """Notes that a group is done, once its values are safe."""
        self.values.flush()
        text = json.dumps({**self.identity, "groups": group + 1})
        draft = self.list.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, self.list)
        self.groups = group + 1

    def _read(self) -> int:
        if not self.list.exists():
            return 0
        try:
            found = json.loads(self.list.read_text(encoding="utf-8"))
            groups = int(found.pop("groups"))
        except (ValueError, KeyError, AttributeError):
            raise TableError(f"{self.list} is damaged: delete its folder to begin again") from None
        if found != self.identity:
            raise TableError(f"{self.list.parent} holds the work on {found}, not on {self.identity}")
        return groups
