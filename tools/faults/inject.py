"""Fault injection: processes that are killed, full disks, changed files, hostile programs and clients.

    python -m tools.faults.inject                            # every kind in its long form; takes hours
    python -m tools.faults.inject kill-table kill-proof      # some kinds
    python -m tools.faults.inject --faults 20 --seed 7       # so many of each, with another seed
    python -m tools.faults.inject --minutes 5                # at most so long for each
    python -m tools.faults.inject --write                    # writes the results into docs/tests.md

The tests run a few cases of each kind. Exit status 0 if no promise was broken.
"""

import argparse
import datetime
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.faults.case import Kind, Total, inject
from tools.faults.changed_files import FILES
from tools.faults.full_disks import full_disks
from tools.faults.hostile_clients import HostileClients, IdleClients
from tools.faults.hostile_engines import hostile_engine, hostile_player
from tools.faults.kills import KILLS, PROMISES
from tools.faults.two_builders import two_builders

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "tests.md"


class Long(NamedTuple):
    """The long form of a kind.

    Attributes:
      run: Yields its cases.
      faults: How many faults the long form injects.
      promise: What must hold, for the table of the page.
    """

    run: Kind
    faults: int
    promise: str


CHANGED = "Rejected or loaded"
BESIDES = {
    "file-table": "; verification passes no wrong value",
    "file-table-work": "; verification passes no wrong value of the table that comes of it",
    "file-proof": "; verification passes no wrong answer",
    "file-certificate": "; the checker accepts nothing that is false",
}

HOSTILE = "The match ends within 10 s, the error is one line, and no process of the program is left"

KINDS: dict[str, Long] = {
    **{name: Long(file, 10_000, f"{CHANGED}{BESIDES.get(name, '')}.") for name, file in FILES.items()},
    **{name: Long(kill, 100, PROMISES[name]) for name, kill in KILLS.items()},
    "full-disk": Long(
        full_disks,
        40,
        "A full disk gives a one-line error that names the file; with free space the same command continues.",
    ),
    "two-builders": Long(two_builders, 100, "Two processes that build one table write it complete and correct."),
    "hostile-engine": Long(hostile_engine, 300, f"{HOSTILE}."),
    "hostile-player": Long(hostile_player, 300, f"{HOSTILE}."),
    "hostile-clients": Long(
        HostileClients(matches=20, clients=4, hostile=16),
        1000,
        "Well-behaved clients finish their matches; the server continues without error, with at most twice the memory.",
    ),
    "idle-clients": Long(
        IdleClients(matches=100, clients=20, idlers=200),
        1000,
        "Well-behaved clients finish their matches, none is refused.",
    ),
}


def describe(total: Total) -> str:
    """What happened, in words."""
    words = [f"{count:,} {name}" for name, count in total.counts.items()]
    words += [f"longest {total.seconds:.1f} s"] if total.seconds else []
    words += [f"most memory {total.memory:.2f} times"] if total.memory else []
    return ", ".join(words)


def write_row(page: str, name: str, cells: list[str]) -> str:
    """The page with the row of the table that begins with the name of a kind replaced."""
    row = f"| {' | '.join([f'`{name}`', *cells])} |"
    replaced, count = re.subn(rf"^\| `{name}` \|.*\|$", lambda _: row, page, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{PAGE} has {count} rows that begin with {name!r}, expected 1")
    return replaced


def progress(name: str, minutes: float) -> Callable[[Total], bool]:
    """Prints how far a kind is; says no after so many minutes."""
    end = time.monotonic() + 60 * minutes
    shown = [0.0]

    def goes_on(total: Total) -> bool:
        if sys.stderr.isatty() or time.monotonic() - shown[0] > 60:
            shown[0] = time.monotonic()
            print(f"{name}: {describe(total)}", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        return time.monotonic() < end

    return goes_on


def main() -> int:
    """Runs the kinds that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"some of {', '.join(KINDS)} (all)")
    parser.add_argument("--faults", type=int, help="how many of each kind")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="the most time for each kind")
    parser.add_argument("--seed", type=int, default=0, help="seed of the faults (0)")
    parser.add_argument("--write", action="store_true", help="write the results into docs/tests.md")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.kinds if name not in KINDS]
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}; known are {', '.join(KINDS)}")
    broken = 0
    for name in arguments.kinds or KINDS:
        faults = KINDS[name].faults if arguments.faults is None else arguments.faults
        try:
            with tempfile.TemporaryDirectory() as folder:
                watch = progress(name, arguments.minutes)
                result = describe(inject(KINDS[name].run, Path(folder), faults, arguments.seed, watch))
        except pytest.skip.Exception as reason:
            result = f"not run: {reason}"
        except AssertionError as error:
            broken += 1
            result = f"broken: {error}"
        print(f"{name}: {result}", flush=True)
        if arguments.write and not result.startswith(("broken", "not run")):
            commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE)
            cells = [
                KINDS[name].promise,
                result,
                f"{datetime.date.today()}, {commit.stdout.strip()}, {platform.system()}",
            ]
            PAGE.write_text(write_row(PAGE.read_text(encoding="utf-8"), name, cells), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
