"""Solves the slices of an index, group by group, on all processors; each group is a unit of work that is kept."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import TableError
from . import bottom_up
from .clock import ClockStudy, has_clock
from .group import LONGEST_TURN, GroupAnalysis
from .index import Index, Slice
from .threads import LARGEST, SMALLEST, Crew
from .work_folder import Work

SECONDS_BETWEEN_REPORTS = 0.1


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


class Reports:
    """Tells how far it is, no more often than people can read.

    Args:
      watch: Is told; None if nobody wants to know.
      total: All positions.
    """

    def __init__(self, watch: Watch | None, total: int) -> None:
        self._watch, self._total = watch, total
        self._next = 0.0

    def tell(self, name: str, stage: str, done: float) -> None:
        """Tells it, if it is time."""
        now = time.monotonic()
        if self._watch and now >= self._next:
            self._next = now + SECONDS_BETWEEN_REPORTS
            self._watch(SolveProgress(name, stage, min(done, self._total), self._total))


def memory_needed(index: Index) -> int:
    """Bytes that solving takes: two for each position, more for each of the largest group, and the index."""
    largest = max(sum(part.size for part in group) for group in index.groups)
    words = sum(len(entries) + len(representatives) for entries, representatives in index.orbits)
    passes = 0 if index.is_acyclic else 3
    all_positions = 2
    if has_clock(index):
        passes += 12
        all_positions += 2
    return all_positions * index.size + passes * largest + 8 * words


class Solver:
    """Solves an index into a folder.

    Args:
      index: What is to be solved.
      folder: Where the work is kept; what is there already is not done again.
      threads: How many kernels run at once; None for as many as there are processors.
      watch: Told now and then how far it is.

    Raises:
      TableError: If the folder holds the work on something else.
    """

    def __init__(self, index: Index, folder: Path, threads: int | None = None, watch: Watch | None = None) -> None:
        self.index = index
        self._reports = Reports(watch, index.size)
        self._threads = threads
        self._work = Work(index, folder)
        self._done = float(sum(part.size for group in index.groups[: len(self._work.done)] for part in group))

    def run(self) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Solves what is not solved yet.

        Returns:
          int16 `[N]`, the codes of all values, and for each group what `ClockStudy` found, if there is a clock.
        """
        with Crew(self._threads) as self._crew:
            clock = ClockStudy(self.index, self._work, self._each) if has_clock(self.index) else None
            for group in self.index.groups[len(self._work.done) :]:
                if self.index.is_acyclic:
                    self._work_out(group)
                    self._work.finish({})
                else:
                    self._analyse(group, clock)
        return self._work.values, self._work.done

    def _work_out(self, group: tuple[Slice, ...]) -> None:
        """Solves a group in which nothing can come again."""
        t, x, values = self.index.rules, self.index.words, self._work.values
        # A piece that walks forward and along rows without turning enters no point twice before the next capture.
        rows = 2 * LONGEST_TURN + 2 * len(self.index.game.board.points) * self.index.pieces
        failed = self._each(
            group, "working out", 1.0, lambda row, begin, end: bottom_up.work_out(t, x, values, row, begin, end, rows)
        )
        if max(failed) >= 0:
            raise TableError(f"a match in slice {group[0].name} is longer than there is room for")

    def _analyse(self, group: tuple[Slice, ...], clock: ClockStudy | None) -> None:
        """Solves a group by retrograde analysis."""
        before = self._done
        analysis = GroupAnalysis(self.index, self._work.values, group, self._each)
        analysis.close()
        if clock:
            clock.begin(analysis)
        analysis.go_back()
        analysis.play_on()
        if clock:
            self._work.finish(clock.end(analysis), *clock.changed_arrays)
        else:
            self._work.finish({})
        self._done = before + sum(part.size for part in group)

    def _each(
        self, parts: tuple[Slice, ...], stage: str, share: float, task: Callable[[int, int, int], Any]
    ) -> list[Any]:
        """Calls a task for all numbers of some slices; `share` says how much of the work on them it is."""
        return [result for part in parts for result in self._each_of(part, stage, share, task)]

    def _each_of(self, part: Slice, stage: str, share: float, task: Callable[[int, int, int], Any]) -> list[Any]:
        def tell(count: int) -> None:
            self._done += share * count
            self._reports.tell(part.name, stage, self._done)

        chunk = SMALLEST if share else max(SMALLEST, min(LARGEST, part.size // (8 * self._crew.threads)))
        return self._crew.share(part.size, lambda begin, end: task(part.row, begin, end), chunk, tell)
