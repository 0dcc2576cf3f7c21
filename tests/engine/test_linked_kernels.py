"""Kernels that only other kernels call: they are linked into these, and kept for those that are compiled later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from alquerque_env.game.kernel_arrays import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

KERNELS = """
from alquerque_env.engine.compiler import borrowed, entry_kernel, inlined, kernel


@inlined
def square(numbers, place):
    return numbers[place] * numbers[place]


@kernel
def sum_of_squares(numbers, count):
    found = 0
    for place in range(count):
        found += square(numbers, place)
    return found


@entry_kernel
def total(numbers):
    return sum_of_squares(borrowed(numbers), len(numbers))


@entry_kernel
def twice(numbers):
    return 2 * sum_of_squares(borrowed(numbers), len(numbers))
"""
CALL = """
import numpy as np, kernels
print(kernels.{0}(np.arange(1, 5)), sum(kernels.sum_of_squares.stats.cache_hits.values()))
"""
REFUSED = """
import numpy as np, kernels
for _ in range(2):
    for refused in (kernels.square, kernels.sum_of_squares):
        try:
            refused(np.arange(3), 1)
        except TypeError as error:
            print(error)
    kernels.total(np.arange(3))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def run(folder: Path, program: str) -> list[str]:
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
    }
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_another_process_links_what_has_been_kept(folder):
    assert run(folder, CALL.format("total")) == ["30 0"]
    assert run(folder, CALL.format("total")) == ["30 0"], "the machine code of the caller holds everything"
    assert run(folder, CALL.format("twice")) == ["60 1"]


def test_python_cannot_call_them_before_or_after_they_are_compiled(folder):
    told = run(folder, REFUSED)
    assert len(told) == 4
    assert all("only other kernels call" in line and "entry_kernel" in line for line in told)
