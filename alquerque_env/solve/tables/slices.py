"""Solves the slices of an index, group by group, in several threads; each finished group is kept."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import TableError
from ...progress import Progress, Watch
from .clock import ClockStudy
from .group import LONGEST_TURN, GroupAnalysis
from .index import Index, Slice, has_clock
from .threads import LARGEST, SMALLEST, ThreadPool
from .turn_values import Values, solve_numbers
from .work_folder import Work


def memory_needed(index: Index) -> int:
    """Bytes that solving takes: two for each position, more for each of the largest group, and the index."""
    largest = max(sum(part.size for part in group) for group in index.groups)
    passes = 0 if index.is_acyclic else 3
    all_positions = 2
    if has_clock(index):
        passes += 12
        all_positions += 2
    return all_positions * index.size + passes * largest + 8 * index.entries


class Solver:
    """Solves an index into a folder, but for the groups that are done there; errors are those of `Work`."""

    def __init__(self, index: Index, folder: Path, threads: int | None = None, watch: Watch | None = None) -> None:
        self.index = index
        self._watch = watch
        self._threads = threads
        self._work = Work(index, folder, code=__file__, report=self._report_checked)
        self._done = float(sum(part.size for group in index.groups[: len(self._work.done)] for part in group))

    def run(self) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Solves what is left; returns int16 `[N]` codes, and the notes of `ClockStudy` on each group."""
        with ThreadPool(self._threads) as self._pool:
            clock = ClockStudy(self.index, self._work, self._each) if has_clock(self.index) else None
            for group in self.index.groups[len(self._work.done) :]:
                if self.index.is_acyclic:
                    self._solve_bottom_up(group)
                    self._work.finish({})
                else:
                    self._analyse(group, clock)
        return self._work.values, self._work.done

    @property
    def seconds(self) -> float:
        """The processor time so far, that of earlier work included."""
        return self._work.seconds

    def _report_checked(self, done: int) -> None:
        if self._watch:
            self._watch(Progress("checking", done, self.index.size, "earlier work"))

    def _solve_bottom_up(self, group: tuple[Slice, ...]) -> None:
        """Solves a group in which no position can recur."""
        values = Values(self.index.rules, self.index.words, np.asarray(self._work.values))
        # A piece that walks forward and sideways without turning back enters no point twice before the next capture.
        length = 2 * LONGEST_TURN + 2 * len(self.index.game.board.points) * self.index.pieces

        if max(self._each(group, "working out", 1.0, partial(solve_numbers, values, length=length))) >= 0:
            raise TableError(f"a match in slice {group[0].name} has more than {length} steps")

    def _analyse(self, group: tuple[Slice, ...], clock: ClockStudy | None) -> None:
        """Solves a group by retrograde analysis."""
        before = self._done
        analysis = GroupAnalysis(self.index, self._work.values, group, self._each)
        analysis.close()
        if clock:
            clock.begin(analysis)
        analysis.find_finite()
        analysis.find_endless()
        self._work.finish(clock.end(analysis) if clock else {})
        self._done = before + sum(part.size for part in group)

    def _each(
        self, parts: tuple[Slice, ...], stage: str, share: float, task: Callable[[int, int, int], Any]
    ) -> list[Any]:
        """Calls a task for all numbers of some slices; `share` is its share in the work on them."""
        results = []
        for part in parts:

            def report(done: int, name: str = part.name, before: float = self._done) -> None:
                self._done = before + share * done
                if self._watch:
                    self._watch(Progress(stage, min(self._done, self.index.size), self.index.size, name))

            chunk = SMALLEST if share else max(SMALLEST, min(LARGEST, part.size // (8 * self._pool.threads)))
            results += self._pool.map_ranges(part.size, partial(task, part.row), chunk, report)
        return results
