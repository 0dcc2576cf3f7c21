"""How many processors this process may use."""

import math
import os
import sys
from contextlib import suppress
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux shows the limits of control groups, by which containers are bound."""
GROUPS_OF_PROCESS = Path("/proc/self/cgroup")
"""Where it shows the groups that this process belongs to."""


def count_processors() -> int:
    """Counts the processors that this process may use, at least 1.

    They are fewer than those of the machine where the process is bound to some of them, as by `taskset`, or where its
    container has a quota of processor time. A quota of one and a half processors counts as two.
    """
    allowed: int | None
    if sys.version_info >= (3, 13):
        allowed = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count()
    return math.ceil(min(allowed or 1, _quota()))


def _quota() -> float:
    """The processor time that this process may use in a second of time; infinite if there is no limit."""
    least = math.inf
    with suppress(OSError, ValueError):
        for line in GROUPS_OF_PROCESS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            # Version 2 has one line, which names no controllers; version 1 has a line and a folder for each of them.
            if not controllers or "cpu" in controllers.split(","):
                root = GROUPS / "cpu" if controllers else GROUPS
                # Groups around a group bind it too. A container may see its own group as the root, and yet its path.
                group = root / path.lstrip("/")
                least = min(least, *(_quota_of(each) for each in (group, *group.parents) if each.is_relative_to(root)))
    return least


def _quota_of(group: Path) -> float:
    for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
        with suppress(OSError, ValueError):  # there is no such file, or it says "max"
            quota, period = map(int, " ".join((group / name).read_text(encoding="ascii") for name in names).split())
            if quota > 0:
                return quota / period
    return math.inf
