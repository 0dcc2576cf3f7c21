"""A pool of threads for kernels, which run at the same time since they release Python's global lock."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ...processors import count_processors

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
