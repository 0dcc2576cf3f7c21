"""The short form of `two_builders.py`."""

from pathlib import Path

import pytest
from case import inject
from two_builders import two_builders


@pytest.mark.slow
def test_tables_of_two_builders_are_right(tmp_path: Path) -> None:
    assert inject(two_builders, tmp_path, faults=6, seed=1).faults == 6
