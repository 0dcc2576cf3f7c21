"""The trainer keeps the memory that it frees, the server gives it back, and a library's user is left alone."""

import os
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told")

# Frees are seen by page faults: memory that was given back has to be cleared again.
PROGRAM = """
import resource, sys
import numpy as np
from alquerque_env.cli.console import memory
if sys.argv[1] != "leave":
    getattr(memory, sys.argv[1])()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        first, second = np.ones(1_000_000), np.ones(1_000_000)
        del first, second
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""


def faults(argument: str, **variables: str) -> int:
    """How many pages the system gave to a process that made and freed arrays of 8 MB 40 times."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, argument], env=others | variables, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.slow
def test_memory_that_is_freed_stays_with_the_process_unless_the_environment_says_otherwise() -> None:
    left, keep = faults("leave"), "keep_freed_memory"
    assert faults(keep) * 4 < left < faults("return_freed_memory") * 2
    assert faults(keep, MALLOC_TRIM_THRESHOLD_="131072", MALLOC_MMAP_THRESHOLD_="131072") * 2 > left
