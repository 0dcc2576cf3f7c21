"""Where compiled kernels are kept: none is used after a change, from others or damaged; several processes may write."""

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

import alquerque_env
from alquerque_env.engine.kernel_cache import delete_unused
from alquerque_env.game.kernel_arrays import JIT
from tests.full_disk import fill, small_disk

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

PACKAGE = Path(alquerque_env.__file__).parent
ONLY_POSIX = pytest.mark.skipif(os.name != "posix", reason="looks at permissions of POSIX")
KERNEL = """
from alquerque_env.engine.compiler import entry_kernel
from ..game.ruleset import NORTH
from .second import add


@entry_kernel
def first(number: int) -> int:
    return add(number) + NORTH
"""
SECOND = """
from .compiler import kernel
from .kernel_types import Table


@kernel
def add(number: int) -> int:
    return number + 10
"""
PROGRAM = """
import sys, time
import numpy as np
from alquerque_env.engine.first import first
kinds = sys.argv[1:]
if kinds:
    from numba.core.caching import IndexDataCacheFile
    write = IndexDataCacheFile._save_index
    IndexDataCacheFile._save_index = lambda *given: (time.sleep(0.5), write(*given))
    print("ready", flush=True)
    input()
for kind in kinds or ["int64"]:
    found = first(getattr(np, kind)(100))
stats = first._compiled.stats
print(int(found), stats.cache_path, sum(stats.cache_hits.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with two small kernels that use a constant of another folder."""
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "web"))
    (copy / "engine" / "first.py").write_text(KERNEL)
    (copy / "engine" / "second.py").write_text(SECOND)
    return copy


class Run(NamedTuple):
    """What a new process finds: the result of the kernel, its folder, and how often its code was found there."""

    result: int
    folder: str
    hits: int


def start(package: Path, kinds: tuple[str, ...] = (), **variables: Path | str) -> subprocess.Popen[str]:
    """A new process that calls the kernel with numbers of some types, once a line comes in if these are named."""
    variables = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    others = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env = {**others, **{name: str(value) for name, value in variables.items()}}
    command = [sys.executable, "-c", PROGRAM, *kinds]
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert not kinds or process.stdout.readline() == "ready\n"
    return process


def result_of(process: subprocess.Popen[str]) -> Run:
    result, folder, hits = process.communicate("\n")[0].split()
    assert process.returncode == 0
    return Run(int(result), folder, int(hits))


def run(package: Path, **variables: Path | str) -> Run:
    """Calls the kernel in a new process."""
    return result_of(start(package, **variables))


def edit(file: Path, old: str, new: str) -> None:
    source = file.read_text()
    assert source.count(old) == 1
    file.write_text(source.replace(old, new))


def machine_code(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.suffix in (".nbi", ".nbc")]


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_change_to_anything_that_a_kernel_uses_is_seen(package, tmp_path, variable):
    if variable == "XDG_CACHE_HOME" and sys.platform != "linux":
        pytest.skip("names the cache folder on Linux only")
    cache = {variable: tmp_path / "cache"}

    assert run(package, **cache)[::2] == (111, 0)
    assert run(package, **cache)[::2] == (111, 1)
    edit(package / "game" / "ruleset.py", "SOUTH, NORTH = 0, 1", "SOUTH, NORTH = 0, 5")
    assert run(package, **cache)[::2] == (115, 0)
    edit(package / "engine" / "second.py", "number + 10", "number + 20")
    assert run(package, **cache)[::2] == (125, 0)
    edit(package / "game" / "ruleset.py", "SOUTH, NORTH = 0, 5", "SOUTH, NORTH = 0, 1")
    edit(package / "engine" / "second.py", "number + 20", "number + 10")
    assert run(package, **cache)[::2] == (111, 1)


@pytest.mark.slow
def test_without_a_folder_that_can_be_written_nothing_is_kept(package, tmp_path):
    """Numba would take `__pycache__`, where it compares one file only."""
    (tmp_path / "file").write_text("")
    cache = {"NUMBA_CACHE_DIR": tmp_path / "file" / "folder"}

    assert run(package, **cache) == (111, "None", 0)
    edit(package / "engine" / "second.py", "number + 10", "number + 20")
    assert run(package, **cache) == (121, "None", 0)
    assert not machine_code(tmp_path)


@pytest.mark.slow
@ONLY_POSIX
@pytest.mark.parametrize("place", ["kernels", "kernels/*"])
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_code_that_others_could_have_written_is_not_used(package, tmp_path, place, mode):
    cache = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert tmp_path / "cache" in Path(run(package, **cache).folder).parents
    for folder in (tmp_path / "cache").glob(place):
        folder.chmod(mode)

    assert run(package, **cache) == (111, "None", 0)


@pytest.mark.slow
@ONLY_POSIX
def test_code_of_another_user_is_not_used(package, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    cache = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    run(package, **cache)
    for folder in (tmp_path / "cache" / "kernels").iterdir():
        os.chown(folder, 12345, -1)

    assert run(package, **cache) == (111, "None", 0)


@pytest.mark.slow
@ONLY_POSIX
def test_new_folders_are_closed_to_others_under_any_umask(package, tmp_path):
    before = os.umask(0)
    try:
        folder = Path(run(package, NUMBA_CACHE_DIR=tmp_path / "cache").folder)
    finally:
        os.umask(before)
    kept = [folder.parent, *folder.parent.parent.iterdir(), folder.parent.parent]

    assert kept[0].parent.parent == tmp_path / "cache"
    assert all(stat.S_IMODE(each.stat().st_mode) & 0o077 == 0 for each in kept)


@pytest.mark.slow
def test_folders_of_other_versions_are_deleted_on_demand_if_they_were_not_used_lately(package, tmp_path, monkeypatch):
    cache = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    used = Path(run(package, **cache).folder).parent
    lately, long_ago, foreign = used.with_name("0" * 16), used.with_name("1" * 16), used.with_name("notes")
    for folder, days in ((lately, 30), (long_ago, 90), (foreign, 90), (used, 90)):
        folder.mkdir(exist_ok=True)
        os.utime(folder, (time.time() - 86_400 * days,) * 2)

    run(package, **cache)
    assert long_ago.is_dir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert delete_unused() == 1
    assert not long_ago.exists()
    assert used.is_dir()
    assert lately.is_dir()
    assert foreign.is_dir()


KINDS = ("int8", "int32", "float64")


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_mix_up_their_code(package, tmp_path):
    processes = [start(package, (kind,), NUMBA_CACHE_DIR=tmp_path / "cache") for kind in KINDS]
    for process in processes:
        print(file=process.stdin, flush=True)
    assert [result_of(process)[::2] for process in processes] == [(111, 0)] * len(KINDS)

    assert result_of(start(package, KINDS, NUMBA_CACHE_DIR=tmp_path / "cache"))[::2] == (111, len(KINDS))


@pytest.mark.slow
def test_a_file_that_is_cut_short_is_made_again(package, tmp_path):
    cache = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    run(package, **cache)
    for ending in ("nbc", "nbi"):
        (file,) = (tmp_path / "cache").rglob(f"first.first.entry*.{ending}")
        os.truncate(file, 30)
        assert run(package, **cache)[::2] == (111, 0)
        assert run(package, **cache)[::2] == (111, 1)


@pytest.mark.slow
def test_on_a_full_disk_kernels_are_compiled_and_not_kept(package, tmp_path):
    with small_disk(tmp_path / "disk", 256) as disk:
        other = fill(disk)
        assert run(package, NUMBA_CACHE_DIR=disk)[::2] == (111, 0)
        assert machine_code(disk) == []
        other.unlink()
        assert run(package, NUMBA_CACHE_DIR=disk)[::2] == (111, 0)
        assert run(package, NUMBA_CACHE_DIR=disk)[::2] == (111, 1)
