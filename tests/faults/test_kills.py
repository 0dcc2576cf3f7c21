"""The short form of `kills.py`: each kind of work is killed once."""

import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from case import inject
from kills import KILLS

from alquerque_env.game.kernel_arrays import JIT

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals"),
    pytest.mark.skipif(not JIT, reason="slow in plain Python"),
]
NEEDS = {"kill-train": "torch", "kill-train-processes": "torch", "kill-arena": "choix", "kill-benchmark": "choix"}
SLOW = ("kill-benchmark", "kill-train-processes")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in KILLS]
)
@pytest.mark.slow
def test_a_killed_command_goes_on_to_the_same_result(tmp_path: Path, name: str) -> None:
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    assert inject(partial(KILLS[name], most=1), tmp_path, faults=1, seed=1).faults <= 1
