"""Rates per second of one core.

They count the processor time of the process, so that a machine that is busy with other things does not slow them.
"""

import statistics
import time
from collections.abc import Callable

RUNS = 3


def rate(work: Callable[[int], int], seconds: float) -> float:
    """How much a second of processor time `work` does: the median of three runs.

    Args:
      work: Does as many units as it is told and returns how much that was.
      seconds: Processor time for all runs together.
    """
    work(1)  # compiles
    units = 1
    spent = 0.0
    while spent < seconds / RUNS / 4:
        units *= 2
        spent, _ = _time(work, units)
    units = max(1, int(units * seconds / RUNS / spent))
    return statistics.median(done / spent for spent, done in (_time(work, units) for _ in range(RUNS)))


def _time(work: Callable[[int], int], units: int) -> tuple[float, int]:
    begin = time.process_time()
    done = work(units)
    return max(time.process_time() - begin, 1e-9), done
