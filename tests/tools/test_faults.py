"""A few cases of each kind of fault; `inject.py` runs more of them, and `docs/tests.md` has its results."""

import os
import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from alquerque_env.game.kernel_arrays import JIT
from tools.faults.case import inject
from tools.faults.changed_files import FILES
from tools.faults.full_disks import NAMES, full_disks
from tools.faults.hostile_clients import HostileClients, IdleClients
from tools.faults.hostile_engines import hostile_engine, hostile_player
from tools.faults.inject import KINDS, PAGE, write_row
from tools.faults.kills import KILLS
from tools.faults.two_builders import two_builders

NEEDS = {
    "arena": "choix",
    "openings": "choix",
    "benchmark": "choix",
    "config": "torch",
    "checkpoint": "torch",
    "train": "torch",
    "train-processes": "torch",
}
QUICK = ("file-table", "file-record", "file-game")
LONG = ("kill-benchmark", "kill-train-processes", "disk-benchmark", "disk-openings", "disk-train")
needs_jit = pytest.mark.skipif(not JIT, reason="slow in plain Python")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and processes")


def skip_without_needed(name: str) -> None:
    if find_spec(NEEDS.get(name.partition("-")[2], "numpy")) is None:
        pytest.skip(f"{name} needs {NEEDS[name.partition('-')[2]]}")


def slow_or_long(names: list[str]) -> list[object]:
    return [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in names]


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FILES]
)
def test_a_changed_file_is_refused_in_one_sentence_or_read(tmp_path: Path, name: str) -> None:
    skip_without_needed(name)
    total = inject(FILES[name], tmp_path, faults=20, seed=1)
    assert total.faults == 20
    assert total.counts["refused"] > 2


@needs_jit
@pytest.mark.slow
@pytest.mark.parametrize("name", slow_or_long([f"disk-{name}" for name in NAMES]))
def test_a_command_on_a_full_disk_goes_on_to_the_same_result(tmp_path: Path, name: str) -> None:
    skip_without_needed(name)
    kind = partial(full_disks, most_full=1, names=[name.partition("-")[2]])
    assert inject(kind, tmp_path, faults=1, seed=2).faults == 1


@needs_jit
@needs_posix
@pytest.mark.slow
@pytest.mark.parametrize("name", slow_or_long(list(KILLS)))
def test_a_killed_command_goes_on_to_the_same_result(tmp_path: Path, name: str) -> None:
    skip_without_needed(name)
    assert inject(partial(KILLS[name], most=1), tmp_path, faults=1, seed=1).faults <= 1


@pytest.mark.slow
def test_tables_of_two_builders_are_right(tmp_path: Path) -> None:
    assert inject(two_builders, tmp_path, faults=6, seed=1).faults == 6


@needs_posix
@pytest.mark.parametrize("kind", [hostile_engine, hostile_player])
@pytest.mark.slow
def test_a_hostile_program_loses_its_match_and_leaves_nothing(tmp_path: Path, kind) -> None:
    total = inject(kind, tmp_path, faults=8, seed=1)
    assert total.faults == 8
    assert total.counts["faults told"] > 1


@pytest.mark.parametrize(
    "kind",
    [
        IdleClients(matches=4, clients=4, idlers=80),
        pytest.param(HostileClients(matches=4, clients=4, hostile=8), marks=needs_posix),
    ],
    ids=["idle", "hostile"],
)
@pytest.mark.slow
def test_honest_clients_play_their_matches(tmp_path: Path, kind) -> None:
    pytest.importorskip("uvicorn")
    assert inject(kind, tmp_path, faults=4, seed=1).faults == 4


# The table of results


def test_every_kind_has_a_row_with_its_promise():
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == {name: kind.promise for name, kind in KINDS.items()}
    assert len(rows) == len(KINDS)


def test_a_result_replaces_the_row_of_its_kind():
    page = PAGE.read_text(encoding="utf-8")
    changed = write_row(page, "kill-table", ["a", "b", r"\1"])

    assert r"| `kill-table` | a | b | \1 |" in changed
    assert len(changed.splitlines()) == len(page.splitlines())
