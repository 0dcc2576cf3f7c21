"""Rates per second of one core.

They count the processor time of the process, so that a machine that is busy with other things does not slow them.
"""

import statistics
import time
from collections.abc import Callable

RUNS = 3


Clock = Callable[[], float]


def rate(work: Callable[[int], int], seconds: float, clock: Clock = time.process_time) -> float:
    """How much a second of processor time `work` does: the median of three runs.

    Args:
      work: Does as many units as it is told and returns how much that was.
      seconds: Processor time for all runs together.
      clock: Another clock, for work that another device does.
    """
    work(1)  # compiles
    units = 1
    spent = 0.0
    while spent < seconds / RUNS / 4:
        units *= 2
        spent, _ = _time(work, units, clock)
    units = max(1, int(units * seconds / RUNS / spent))
    return statistics.median(done / spent for spent, done in (_time(work, units, clock) for _ in range(RUNS)))


def _time(work: Callable[[int], int], units: int, clock: Clock) -> tuple[float, int]:
    begin = clock()
    done = work(units)
    return max(clock() - begin, 1e-9), done
