"""A pool of threads for kernels, which run at the same time since they release Python's global lock."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

from ...processors import count_processors
from ...progress import Progress, Watch
from .index import Index, Slice

SMALLEST, LARGEST = 1 << 14, 1 << 22  # Numbers that a kernel works on in one call. Ctrl-C waits for its end.


class ThreadPool(ThreadPoolExecutor):
    """Threads that work on ranges of numbers, by default one per processor."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or count_processors()
        super().__init__(self.threads)

    def __exit__(self, *_error: object) -> None:
        self.shutdown(cancel_futures=True)

    def map_ranges(
        self, size: int, task: Callable[[int, int], Any], chunk: int, report: Callable[[int], None] | None = None
    ) -> list[Any]:
        """Results of `task(begin, end)` for ranges of `chunk` of `size` numbers; reports how many are done."""
        results: dict[int, Any] = {}
        pending: dict[Future, int] = {}
        for begin in range(0, size, chunk):
            pending[self.submit(task, begin, min(begin + chunk, size))] = begin
            while len(pending) > 2 * self.threads or (pending and begin + chunk >= size):
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                results |= {pending.pop(future): future.result() for future in done}
                if report:
                    report(min(size, chunk * len(results)))
        return [results[begin] for begin in sorted(results)]


class Passes:
    """Calls kernels for all numbers of some slices of an index, and shows the progress of work on its groups."""

    def __init__(self, index: Index, pool: ThreadPool, watch: Watch) -> None:
        self.pool = pool
        self._size, self._watch = index.size, watch
        self._done = 0.0

    def begin(self, group: tuple[Slice, ...]) -> None:
        """Notes that the groups before this one are done."""
        self._done = float(group[0].base)

    def __call__(
        self, parts: tuple[Slice, ...], stage: str, share: float, task: Callable[[int, int, int], Any]
    ) -> list[Any]:
        """Results of `task(row, begin, end)` for ranges of the numbers of slices, whose rows begin at `row`.

        `stage` names the work for the progress display, `share` is its share in the work on the slices.
        """
        results = []
        for part in parts:
            chunk = SMALLEST if share else max(SMALLEST, min(LARGEST, part.size // (8 * self.pool.threads)))
            results += self.pool.map_ranges(part.size, partial(task, part.row), chunk, self.report(part, stage, share))
        return results

    def report(self, part: Slice, stage: str, share: float) -> Callable[[int], None]:
        """What to call with how many numbers of a slice are done."""
        before = self._done

        def report(done: int) -> None:
            self._done = min(before + share * done, float(self._size))
            self._watch(Progress(stage, self._done, self._size, part.name))

        return report
