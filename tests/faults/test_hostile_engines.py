"""Hostile programs as bots: a few of each kind."""

import os
from pathlib import Path

import pytest
from case import inject
from hostile_engines import hostile_engine, hostile_player

pytestmark = pytest.mark.skipif(os.name != "posix", reason="looks at processes")


@pytest.mark.parametrize("kind", [hostile_engine, hostile_player])
@pytest.mark.slow
def test_a_hostile_program_loses_its_match_and_leaves_nothing(tmp_path: Path, kind) -> None:
    total = inject(kind, tmp_path, faults=8, seed=1)
    assert total.faults == 8
    assert total.counts["faults told"] > 1
