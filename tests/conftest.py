"""What all tests share."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ

# The temporary files of a run are in one folder, which is deleted in the end. Workers and processes inherit it.
if not IS_WORKER:
    tempfile.tempdir = tempfile.mkdtemp(prefix="alquerque-")
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), tempfile.tempdir))


def kernel_folder() -> Path:
    """Where compiled kernels are kept between runs; they are named by their source. A folder of this run elsewhere."""
    folder = ROOT / ".pytest_cache" / "kernels"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir(), "kernels")


if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(kernel_folder())

# With other settings of Numba the package imports it in order to ask what they mean, and tests of imports would fail.
for setting in [name for name in os.environ if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"]:
    del os.environ[setting]

# Interrupts do what Python lets them do, also where a shell has the tests in the background and ignores them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Processes that tests start import the installed package and not the folder that they start in.
os.environ["PYTHONSAFEPATH"] = "1"

# PyTorch's threads would wait for each other on processors that are busy with other tests.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Nothing is compiled behind the tests' back; tests of that unset this.
os.environ.setdefault("ALQUERQUE_JIT", "1")

# Ray's test clusters stay on the loopback address only if this is set before Ray is imported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

# Matches that end unexpectedly are kept there, and not with those of whoever runs the tests.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="state-")

# Bots look endgames up in tables where there are any: here there are none but those that a test builds.
os.environ["ALQUERQUE_TABLES"] = tempfile.mkdtemp(prefix="tables-")


# What the wheel leaves out is fetched from the checkout.
if not IS_WORKER:
    os.environ.setdefault("ALQUERQUE_FETCHED", tempfile.mkdtemp(prefix="fetched-"))
    os.environ.setdefault("ALQUERQUE_RELEASE", ROOT.as_uri())


def pytest_configure(config: pytest.Config) -> None:
    if not IS_WORKER:
        from alquerque_env.files import release  # not before the environment is set

        for name in release.PARTS:
            release.fetch(name)
    # A long case of a slow test is long.
    if config.option.markexpr == "slow":
        config.option.markexpr = "slow and not long"


def pytest_unconfigure(config: pytest.Config) -> None:
    # Loaded only where a test needed it.
    if cache := sys.modules.get("alquerque_env.engine.kernel_cache"):
        cache.delete_unused()
    if not IS_WORKER:
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without looking for garbage: nearly all that is made then is kept, and need not be searched later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


SECONDS, SHARED = "processor_seconds", "processor_seconds of the fixtures that end with the file"
began, ended = pytest.StashKey[float](), pytest.StashKey[float]()
is_last = pytest.StashKey[bool]()


def processor_seconds() -> float:
    """Of this process, and of those that it has started and that have ended. Windows does not tell the latter."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    item.stash[began] = processor_seconds()
    item.stash[is_last] = nextitem is None or nextitem.path != item.path
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, Any, pytest.TestReport]:
    report = yield
    now = processor_seconds()
    if call.when != "teardown" or not item.stash[is_last]:
        item.stash[ended] = now
    if call.when == "teardown":
        report.user_properties.append((SECONDS, item.stash[ended] - item.stash[began]))
        report.user_properties.append((SHARED, now - item.stash[ended]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the tests above a second, the dearest first.

    What processes of shared fixtures have taken, such as browsers, is known when they end, and is that of the file.
    """
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    spent = {
        report.nodeid: dict(report.user_properties) for report in reports if getattr(report, "when", "") == "teardown"
    }
    seconds = {test: each[SECONDS] for test, each in spent.items()}
    for test, each in spent.items():
        file = test.partition("::")[0]
        seconds[file] = seconds.get(file, 0.0) + each[SHARED]
    terminalreporter.section(f"processor time: {sum(seconds.values()):.1f} s in {len(spent)} tests")
    for test in sorted(seconds, key=seconds.__getitem__, reverse=True):
        if seconds[test] > 1:
            terminalreporter.line(f"{seconds[test]:7.1f} s  {test}")


@pytest.fixture(autouse=True)
def signal_handlers() -> Iterator[None]:
    """A test that leaves another handler of a signal fails, and not one that runs later in the same process."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    after = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        signal.signal(number, handler)
    assert after == before
