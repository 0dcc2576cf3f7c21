"""Calls of a function that other processes or machines answer, with their results in the order of the calls."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, wait
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 1024  # most calls that are submitted before the first of them has its result: more than most clusters have CPUs

_TICK = 0.2


def in_order(
    executor: Executor | None, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Generator[tuple[Task, Result], None, None]:
    """Calls a function with each task, and yields tasks and results in order.

    The tasks are drawn and submitted ahead of the results. When the caller stops early, those without a result are
    cancelled. Without an executor the calls are made here, one at a time; with one the function must be importable.
    """
    if executor is None:
        yield from ((task, function(task)) for task in tasks)
        return
    left = iter(tasks)
    running: deque[tuple[Task, Future[Result]]] = deque()
    is_drawn = False
    try:
        while True:
            while not is_drawn and len(running) < AHEAD and not (running and running[0][1].done()):
                for task in left:
                    running.append((task, executor.submit(function, task)))
                    break
                else:
                    is_drawn = True
            if not running:
                return
            task, future = running[0]
            while not future.done():  # on some systems Ctrl-C does not interrupt a wait without a timeout
                wait([future], _TICK)
            result = future.result()
            running.popleft()
            yield task, result
    finally:
        for _, future in running:
            future.cancel()
