"""Files of machine code: written by several processes at once, damaged, or without room on the disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from full_disk import fill, small_disk

from alquerque_env.game.kernel_arrays import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

KINDS = "int8", "int32", "float64"
MODULE = """
import time
import numpy as np
from numba.core.caching import IndexDataCacheFile
from alquerque_env.engine.kernel_cache import compile_kernel

write = IndexDataCacheFile._save_index

def write_late(self, overloads):
    time.sleep(0.5)
    write(self, overloads)

IndexDataCacheFile._save_index = write_late

def add(numbers):
    total = 0
    for number in numbers:
        total += number
    return total

add = compile_kernel(add)

def run(kind):
    found = float(add(np.arange(100, dtype=kind))), sum(add.stats.cache_hits.values())
    print(*found, flush=True)
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "adding.py"
    path.write_text(MODULE)
    return path


def start(module: Path, kinds: tuple[str, ...], cache: Path) -> subprocess.Popen:
    """A process that compiles the kernel for some types, one after the other, once a line comes in."""
    code = (
        f"import sys; sys.path[:0] = [{str(module.parent)!r}]; import adding; print('ready', flush=True); input(); "
        f"[adding.run(kind) for kind in {kinds}]"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def output(process: subprocess.Popen) -> list[str]:
    lines = process.communicate("\n")[0].splitlines()
    assert process.returncode == 0
    return lines


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_mix_up_their_code(module: Path, tmp_path: Path) -> None:
    processes = [start(module, (kind,), tmp_path / "cache") for kind in KINDS]
    for process in processes:
        print(file=process.stdin, flush=True)
    assert [output(process) for process in processes] == [["4950.0 0"]] * len(KINDS)

    found = output(start(module, KINDS, tmp_path / "cache"))
    assert found == [f"4950.0 {number}" for number in range(1, len(KINDS) + 1)]


@pytest.mark.slow
def test_a_file_that_is_cut_short_is_made_again(module: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert output(start(module, ("int8",), cache)) == ["4950.0 0"]
    for ending in ("nbc", "nbi"):
        (file,) = cache.rglob(f"*.{ending}")
        os.truncate(file, 30)
        assert output(start(module, ("int8",), cache)) == ["4950.0 0"]
        assert output(start(module, ("int8",), cache)) == ["4950.0 1"]


@pytest.mark.slow
def test_on_a_full_disk_kernels_are_compiled_and_not_kept(module: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 64) as disk:
        other = fill(disk)
        assert output(start(module, ("int8",), disk)) == ["4950.0 0"]
        assert list(disk.rglob("*.nb?")) == []
        other.unlink()
        assert output(start(module, ("int8",), disk)) == ["4950.0 0"]
        assert output(start(module, ("int8",), disk)) == ["4950.0 1"]
