"""Kernels at work on all processors: threads, since compiled kernels do not hold each other up."""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

SMALLEST = 1 << 14
LARGEST = 1 << 22
"""Numbers that a kernel works on at once. Ctrl-C waits for it."""


class Crew(ThreadPoolExecutor):
    """Threads that share out ranges of numbers.

    Args:
      threads: How many; None for as many as there are processors.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or os.cpu_count() or 1
        super().__init__(self.threads)

    def __exit__(self, *_error: object) -> None:
        self.shutdown(cancel_futures=True)

    def share(
        self, size: int, task: Callable[[int, int], Any], chunk: int, tell: Callable[[int], None] | None = None
    ) -> list[Any]:
        """Calls `task(begin, end)` for ranges that make up the numbers from 0 to `size`.

        Args:
          size: How many numbers there are.
          task: What is to be done with a range.
          chunk: Numbers of a range.
          tell: Called with the size of what has been done.

        Returns:
          What the task returned, in the order of the ranges.
        """
        results: dict[int, Any] = {}
        pending: dict[Future, int] = {}
        for begin in range(0, size, chunk):
            pending[self.submit(task, begin, min(begin + chunk, size))] = begin
            while len(pending) > 2 * self.threads or (pending and begin + chunk >= size):
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                results |= {pending.pop(future): future.result() for future in done}
                if tell:
                    tell(chunk * len(done))
        return [results[begin] for begin in sorted(results)]
