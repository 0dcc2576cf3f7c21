"""What all tests share."""

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest

# A fresh folder of compiled kernels for the whole run, unless the caller names one; workers inherit it.
if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="alquerque-kernels-")
    atexit.register(shutil.rmtree, os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)

# Processes that tests start import the installed package and not the folder that they start in.
os.environ["PYTHONSAFEPATH"] = "1"

# Nothing is compiled behind the tests' back; tests of that unset this.
os.environ.setdefault("ALQUERQUE_JIT", "1")

# Ray's test clusters stay on the loopback address only if this is set before Ray is imported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

# Matches that end unexpectedly are kept there, and not with those of whoever runs the tests.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="alquerque-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

# Bots look endgames up in tables where there are any: here there are none but those that a test builds.
os.environ["ALQUERQUE_TABLES"] = tempfile.mkdtemp(prefix="alquerque-tables-")
atexit.register(shutil.rmtree, os.environ["ALQUERQUE_TABLES"], ignore_errors=True)


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Interrupts do what Python lets them do, also where a shell has the tests in the background and ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
