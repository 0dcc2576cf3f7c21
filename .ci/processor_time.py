"""A plugin of pytest: what a set of tests costs, what it may cost, and what it left out. `.ci/run` loads it.

Most kernels are compiled before the tests begin, so that the set is charged for them and no test.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

LIMITS = {"default": 360.0, "slow": 3000.0}
"""Seconds of processor time of each set on a quiet machine, compiling and collection included."""

TEST_LIMIT = 5.0
"""Seconds of processor time of a default test; in proportion more where the set takes more than it may."""

NO_BROWSER = ("no Chromium is installed", "no Firefox is installed")
"""Reasons of skipped tests for which a run fails."""

COMPILE = [sys.executable, str(Path(__file__).with_name("compile_kernels.py"))]

began = time.perf_counter()
inherited = sum(os.times()[2:4])
"""Seconds of the processes that ended before: a shell that becomes this process leaves it those of `pip`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which set runs, and in which order."""
    parser.addoption("--set", choices=LIMITS, default="default", help="the set whose limits hold")
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in an order that depends on the seed")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles kernels before the tests, since two workers would compile the same ones."""
    if not hasattr(session.config, "workerinput"):
        command = [*COMPILE, session.config.getoption("set")]
        subprocess.run(command, check=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffles modules, and the tests of each, so that what a module has set up is used more than once."""
    os.environ.pop("PYTEST_ADDOPTS", None)  # workers have read it; a pytest that a test starts must not
    if seed := config.getoption("shuffle"):
        items.sort(key=lambda item: [hashlib.sha256(f"{seed} {x}".encode()).digest() for x in (item.path, item.nodeid)])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Prints the cost after all other plugins have ended their processes, and fails if a test costs too much."""
    yield
    if hasattr(session.config, "workerinput"):
        return
    name, spent = session.config.getoption("set"), sum(os.times()[:4]) - inherited
    print(f"\n{name} set: {spent:.0f} s of processor time, {time.perf_counter() - began:.0f} s in all")
    stats = session.config.pluginmanager.get_plugin("terminalreporter").stats
    skipped = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in stats.get("skipped", []))
    for reason, count in skipped.items():
        print(f"{count} skipped: {reason}")
    if not skipped.keys().isdisjoint(NO_BROWSER):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
    reports = stats.get("", [])
    seconds = {report.nodeid: dict(report.user_properties).get("processor_seconds", 0.0) for report in reports}
    # A slow machine, or one with other work, counts more: the sum is told and does not fail the run, and a test may
    # take a share of it.
    if spent > LIMITS[name]:
        print(f"The {name} set took {spent:.0f} s of processor time; on a quiet machine at most {LIMITS[name]:.0f} s.")
    limit = TEST_LIMIT * max(1.0, spent / LIMITS[name])
    dear = [test for test in seconds if seconds[test] > limit] if name == "default" else []
    if dear and (again := {test: spent for test, spent in seconds_again(dear).items() if spent > limit}):
        tests = ", ".join(f"{test} ({spent:.1f} s)" for test, spent in again.items())
        print(f"A default test may take {limit:.1f} s of processor time here; mark as slow or make shorter: {tests}")
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def seconds_again(tests: list[str]) -> dict[str, float]:
    """Seconds of tests that run once more: the first that needs a kernel is charged for compiling it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(["pytest", "-n", "0", *tests], env=environment, capture_output=True, text=True, check=False)
    return {test: float(spent) for spent, test in re.findall(r"^ *([\d.]+) s  (\S+::.*)$", done.stdout, re.MULTILINE)}
