"""Commands on a disk that is full at a random moment, and that is then enlarged."""

import itertools
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.full_disk import enlarge, small_disk
from tools.faults.case import Case
from tools.faults.long_work import WORKS, Work

NAMES = ("table", "proof", "arena", "openings", "benchmark", "train")
FULL = "No space left on device"
PAGE = 4
"""Kibibytes by which disks differ."""
ENOUGH = 1 << 15
"""Kibibytes that are enough for everything."""


def full_disks(chance: random.Random, folder: Path, most_full: int = 4, names: Sequence[str] = NAMES) -> Iterator[Case]:
    """Yields pieces of work on disks that are too small, and are enlarged; after `most_full` refusals, enough."""
    expected: dict[str, tuple[Any, int]] = {}
    for number in itertools.count():
        name = chance.choice(names)
        work = WORKS[name]
        if name not in expected:
            alone = folder / name
            work.prepare(alone)
            place = alone / "disk"
            place.mkdir()
            expected[name] = work.outcome(place, succeed(work, alone)), kibibytes(place)
        right, most = expected[name]
        here = folder / str(number)
        work.prepare(here)
        # Unfinished work takes more room than its result.
        size = page(chance, 2 * most)
        full = 0
        with small_disk(here / "disk", size) as disk:
            while (printed := attempt(work, here)) is None:
                full += 1
                size = ENOUGH if full == most_full else size + page(chance, most)
                enlarge(disk, size)
            found = work.outcome(disk, printed)
        assert found == right, f"{name} after {full} full disks: {str(found)[:500]} is not {str(right)[:500]}"
        shutil.rmtree(here)
        yield Case({"full disks": full, "runs finished to the same result": 1})


def page(chance: random.Random, most: int) -> int:
    """A random size up to `most`, in kibibytes."""
    return PAGE * chance.randint(1, max(1, most // PAGE))


def kibibytes(place: Path) -> int:
    """The room that the files of a folder take."""
    return sum(PAGE * -(-file.stat().st_size // (1024 * PAGE)) for file in place.rglob("*") if file.is_file())


def succeed(work: Work, folder: Path) -> str:
    """Runs a command on a disk with room."""
    printed = attempt(work, folder)
    assert printed is not None, "the disk of the tests is full"
    return printed


def attempt(work: Work, folder: Path) -> str | None:
    """Runs a command whose files are on a disk; returns what it printed, None if the disk was full."""
    disk = folder / "disk"
    process = work.start(folder, disk)
    printed, _ = process.communicate(timeout=300)
    assert "Traceback" not in printed, printed
    if process.returncode == 0:
        return printed
    last = printed.splitlines()[-1]
    assert FULL in last, printed
    assert str(disk) in last, printed
    return None
