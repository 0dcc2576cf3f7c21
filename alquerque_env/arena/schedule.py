"""The pairings of an arena, the order of its matches, the seeds of its parts, and calls in other processes."""

import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from typing import NamedTuple, TypeVar

import numpy as np

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 1024  # most calls that are submitted before the first of them has its result: more than most clusters have CPUs

_TICK = 0.2


def derive_seed(seed: int, *part: str | int) -> int:
    """Returns a seed for a named part of the whole, independent of the seeds of all other parts."""
    entropy = [seed, *(zlib.crc32(name.encode()) if isinstance(name, str) else name for name in part)]
    # Seeds of bots are below 2**63.
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]) >> 1


class Key(NamedTuple):
    """Names a match of an arena by pairing, opening, and the seat of the first player of the pairing, 0 or 1."""

    pairing: int
    opening: int
    seat: int


class Batch(NamedTuple):
    """Matches of one pairing that bots of their own play together: some openings, each from both seats."""

    pairing: int
    number: int
    openings: range

    @property
    def keys(self) -> list[Key]:
        """Its matches."""
        return [Key(self.pairing, opening, seat) for opening in self.openings for seat in (0, 1)]


def make_pairings(num_players: int, *, gauntlet: bool) -> list[tuple[int, int]]:
    """Pairs every player with every other one, or, in a gauntlet, the first player with all others."""
    rows = range(1 if gauntlet else num_players)
    return [(first, second) for first in rows for second in range(first + 1, num_players)]


def make_batches(num_pairings: int, num_openings: int, batch_size: int) -> Iterator[Batch]:
    """Yields all batches of `batch_size` matches, two for each opening.

    All pairings advance together, so that an interrupted arena has results of each.
    """
    openings = batch_size // 2
    for number, start in enumerate(range(0, num_openings, openings)):
        for pairing in range(num_pairings):
            yield Batch(pairing, number, range(start, min(start + openings, num_openings)))


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
