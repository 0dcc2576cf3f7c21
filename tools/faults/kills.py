"""Commands that are killed at random moments and started again, until they end by themselves."""

import itertools
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.faults.case import Case, Kind
from tools.faults.long_work import WORKS, Work

PATIENCE = 300.0
"""Seconds after which something hangs."""
MOMENT = 0.05
"""Seconds between two looks at a running command."""


@dataclass
class Pace:
    """How long a command takes: seconds until it first writes a file, and from there to its end."""

    before: float = PATIENCE
    after: float = PATIENCE

    def learn(self, before: float, after: float) -> None:
        """Takes note of an undisturbed run. The first one may compile kernels, so the fastest counts."""
        self.before, self.after = min(self.before, before), min(self.after, after)


@dataclass(frozen=True)
class Moment:
    """When to kill: so many seconds after the start, or after the first file is written."""

    seconds: float
    is_under_way: bool = False


def kill(work: Work, chance: random.Random, folder: Path, most: int = 5) -> Iterator[Case]:
    """Yields pieces of work, each killed up to `most` times and then finished."""
    pace = Pace()
    alone = folder / "alone"
    work.prepare(alone)
    expected = work.outcome(alone, run(work, alone, pace) or "")
    for number in itertools.count():
        place = folder / str(number)
        work.prepare(place)
        kills = 0
        printed = None
        while printed is None:
            moment = None if kills == most else choose_moment(chance, pace)
            kept = work.kept(place)
            printed = run(work, place, Pace() if kills else pace, moment, only_first=chance.random() < 0.5)
            assert work.kept(place)[: len(kept)] == kept, f"something that was kept is lost in {place}"
            kills += printed is None
        found = work.outcome(place, printed)
        assert found == expected, f"after {kills} kills {difference(found, expected)} in {place}"
        shutil.rmtree(place)
        yield Case({"kills": kills, "runs finished to the same result": 1})


def choose_moment(chance: random.Random, pace: Pace) -> Moment:
    """Most kills come while files are written: the start of Python and of its packages takes as long as the work."""
    if chance.random() < 0.25:
        return Moment(chance.uniform(0, pace.before))
    return Moment(chance.uniform(0, 1.2 * pace.after), is_under_way=True)


def run(work: Work, place: Path, pace: Pace, moment: Moment | None = None, *, only_first: bool = False) -> str | None:
    """Runs the command of a piece of work in its folder.

    Args:
      work: The work.
      place: Its folder.
      pace: Learns how long it takes.
      moment: When to kill it; None to let it end.
      only_first: Whether only the first process is killed, so that its children have to end by themselves.

    Returns:
      What it printed; None if it was killed.
    """
    if work.is_finished(place):
        remove_locks(place)
        return ""
    before, begun = look(place), time.monotonic()
    process = work.start(place)
    first = None  # when it first wrote a file
    while True:
        try:
            printed, _ = process.communicate(timeout=MOMENT)
            break
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        if first is None and look(place) != before:
            first = now
        since = first if moment is not None and moment.is_under_way else begun
        if moment is not None and since is not None and now - since >= moment.seconds:
            return end(work, process, place, only_first)
        assert now - begun < PATIENCE, f"{process.args} hangs"
    assert process.returncode == 0, f"{process.args} ended with status {process.returncode}: {printed}"
    check_printed(work, place, printed)
    pace.learn((first or begun) - begun, time.monotonic() - (first or begun))
    return printed


def end(work: Work, process: "subprocess.Popen[str]", place: Path, only_first: bool) -> str | None:
    """Kills a command, and waits until all its processes have closed their output."""
    try:
        (os.kill if only_first else os.killpg)(process.pid, signal.SIGKILL)
        printed, _ = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"a child of {process.args} lives on") from None
    check_printed(work, place, printed)
    return None if process.returncode == -signal.SIGKILL else printed


def check_printed(work: Work, place: Path, printed: str) -> None:
    """Nothing that was shown as done is lost, and no error was shown."""
    assert "Traceback" not in printed, printed
    shown = work.shown(printed)
    kept = work.kept(place)
    ends = range(len(shown), len(kept) + 1)
    assert any(kept[end - len(shown) : end] == shown for end in ends), f"{shown[-3:]} is not in {place}"


def look(place: Path) -> list[tuple[str, int, int]]:
    """The files of a folder as they are now."""
    found = []
    for file in place.rglob("*"):
        try:
            status = file.stat()
        except FileNotFoundError:
            continue
        found.append((str(file), status.st_mtime_ns, status.st_size))
    return sorted(found)


def remove_locks(place: Path) -> None:
    """Removes the locks of a process that was killed after its last write: nobody works there again."""
    for file in [*place.rglob("*.lock"), *place.rglob("*.lock.holder")]:
        file.unlink()


def difference(found: object, expected: object) -> str:
    """Where two outcomes differ, shortened."""
    (names, result), (right_names, right) = found, expected
    if names != right_names:
        return f"files {sorted(set(names) ^ set(right_names))} differ"
    return f"the result is {str(result)[:500]}, not {str(right)[:500]}"


PROMISES = {
    "kill-train": "A killed run is resumed and ends with the same weights and log.",
    "kill-train-processes": "So is a run of two processes: it ends with as many steps, and no process lives on.",
    "kill-table": "A killed builder is started again and writes the same table.",
    "kill-proof": "A killed proof is started again and gives the same answer.",
    "kill-arena": "A killed arena is started again, keeps its lines and ends with the same file.",
    "kill-benchmark": "A killed benchmark is started again and ends with the same result.",
    "kill-play": "Every turn that was shown is in the match file, from which the match is resumed.",
}
KILLS: dict[str, Kind] = {name: partial(kill, WORKS[name.removeprefix("kill-")]) for name in PROMISES}
