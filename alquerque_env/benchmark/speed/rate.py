"""Rates per second of one core.

They count the processor time of the process, so that other programs on the machine do not change them.
"""

import statistics
import time
from collections.abc import Callable, Sequence

RUNS = 5

Clock = Callable[[], float]
Work = Callable[[int], int]  # does a number of units and returns how much that was, such as the number of steps


def repeat(task: Callable[[], object], count: int) -> Work:
    """Work whose unit is one call of a task that does `count` things."""

    def work(units: int) -> int:
        for _ in range(units):
            task()
        return units * count

    return work


def rate(work: Work, seconds: float, clock: Clock = time.process_time) -> float:
    """How much `work` does in a second of the clock: the median of `RUNS` runs that take `seconds` together."""
    return rates([work], seconds, clock)[0]


def rates(works: Sequence[Work], seconds: float, clock: Clock = time.process_time) -> list[float]:
    """As `rate`, of several works that are compared: their runs take turns, since processors change their speed."""
    units = [_units(work, seconds, clock) for work in works]
    runs = [[_time(work, count, clock) for work, count in zip(works, units, strict=True)] for _ in range(RUNS)]
    return [statistics.median(done / spent for spent, done in column) for column in zip(*runs, strict=True)]


def _units(work: Work, seconds: float, clock: Clock) -> int:
    """The number of units that take the time of one run."""
    work(1)  # compiles
    units = 1
    spent = 0.0
    while spent < seconds / RUNS / 4:
        units *= 2
        spent, _ = _time(work, units, clock)
    return max(1, int(units * seconds / RUNS / spent))


def _time(work: Work, units: int, clock: Clock) -> tuple[float, int]:
    begin = clock()
    done = work(units)
    return max(clock() - begin, 1e-9), done
