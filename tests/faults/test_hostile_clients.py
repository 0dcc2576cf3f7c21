"""Idle and hostile clients of the page's server keep nobody else out."""

import os
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from case import inject
from hostile_clients import HostileClients, IdleClients

POSIX = pytest.mark.skipif(os.name != "posix", reason="reads the output of the server without waiting")


@pytest.mark.parametrize(
    "kind",
    [
        IdleClients(matches=4, clients=4, idlers=80),
        pytest.param(HostileClients(matches=4, clients=4, hostile=8), marks=POSIX),
    ],
    ids=["idle", "hostile"],
)
@pytest.mark.slow
def test_honest_clients_play_their_matches(tmp_path: Path, kind) -> None:
    total = inject(kind, tmp_path, faults=4, seed=1)
    assert total.faults == 4
