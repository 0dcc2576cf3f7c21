"""The short form of `full_disks.py`."""

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from case import inject
from full_disks import full_disks

from alquerque_env.game.kernel_arrays import JIT

pytestmark = [
    pytest.mark.skipif(not JIT, reason="slow in plain Python"),
    pytest.mark.skipif(find_spec("torch") is None or find_spec("choix") is None, reason="needs torch and choix"),
]


@pytest.mark.parametrize("faults", [1, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.slow
def test_a_command_on_a_full_disk_goes_on_to_the_same_result(tmp_path: Path, faults: int) -> None:
    assert inject(partial(full_disks, most_full=1), tmp_path, faults, seed=2).faults > 0
