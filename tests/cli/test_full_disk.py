"""Commands on a disk that is really full: each names the file, and once there is room the same command goes on."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from full_disk import enlarge, fill, small_disk

from alquerque_env.game.kernel_arrays import JIT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not JIT, reason="slow in plain Python")]

FULL = "No space left on device"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 64) as disk:
        yield disk


def run(*arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "alquerque_env", *map(str, arguments)]
    variables = {name: str(value) for name, value in environment.items()}
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def refusal(*arguments: object, **environment: object) -> str:
    """The last line of a command that fails."""
    done = run(*arguments, **environment)
    assert done.returncode in (1, 2), done
    return done.stderr.splitlines()[-1]


def result(*arguments: object, **environment: object) -> dict:
    """The object that a command prints, but for its times."""
    done = run(*arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "seconds": 0, "path": ""}


def test_a_table(disk: Path, tmp_path: Path) -> None:
    command = "solve", "alquerque_murray", "--pieces", 4, "--threads", 1, "-o"
    values = disk / "table.aqt.work" / "values.int16"
    room = r"it needs [\d,]+ bytes, and [\d,]+ are free; what is done is kept: fix that, and the same command resumes"

    assert re.search(f"cannot write {values}: {FULL}: {room}$", refusal(*command, disk / "table.aqt"))
    assert [file.name for file in values.parent.iterdir()] == ["progress.json"]
    enlarge(disk, 80)  # for the values, and not for the table too
    kept = "what is done is kept: fix that, and the same command resumes"
    assert refusal(*command, disk / "table.aqt").endswith(f"cannot write {disk / 'table.aqt'}: {FULL}; {kept}")
    assert values.exists()
    enlarge(disk, 1024)
    assert result(*command, disk / "table.aqt") == result(*command, tmp_path / "table.aqt")
    assert [file.name for file in disk.iterdir()] == ["table.aqt"]


def test_a_proof(disk: Path, tmp_path: Path) -> None:
    position = "W:Wc3:Bb2,b4,d4"
    command = "solve", "alquerque", "--from-start", "--position", position, "--memory", 0.002
    room = r"it needs [\d,]+ bytes, and [\d,]+ are free; what is done is kept: fix that or take less --memory, and the"

    message = refusal(*command, ALQUERQUE_TABLES=disk)
    assert re.search(rf"cannot write {disk}/.*\.proof/player_0\.memory: {FULL}: {room} same command resumes$", message)
    enlarge(disk, 4096)
    found = result(*command, ALQUERQUE_TABLES=disk)
    assert found == result(*command, ALQUERQUE_TABLES=tmp_path / "tables")


def test_kernels_are_compiled_and_not_kept(disk: Path) -> None:
    fill(disk)
    done = run("perft", "alquerque", "--depth", 3, NUMBA_CACHE_DIR=disk)

    assert (done.returncode, done.stdout, done.stderr) == (0, "6\n", "")


def test_an_arena(disk: Path, tmp_path: Path) -> None:
    command = "arena", "fetaix", "random", "greedy", "--games", 4, "-o"
    other = fill(disk)
    kept = "its lines are kept: fix that, and the same command resumes"

    assert refusal(*command, disk / "it.jsonl").endswith(f": {disk / 'it.jsonl'}: {FULL}; {kept}")
    assert [file.name for file in disk.iterdir()] == ["other"]
    os.truncate(other, other.stat().st_size - 4096)
    assert refusal(*command, disk / "it.jsonl").endswith(f": {disk / 'it.jsonl'}: {FULL}; {kept}")
    other.unlink()
    assert result(*command, disk / "it.jsonl") == result(*command, tmp_path / "it.jsonl")


def test_a_match(disk: Path, tmp_path: Path) -> None:
    other = fill(disk)
    command = [sys.executable, "-m", "alquerque_env", "play", "alquerque", "--save", str(disk / "it.pdn")]
    environment = {**os.environ, "XDG_STATE_HOME": str(disk / "state")}
    done = subprocess.run(command, input="save\nquit\n", env=environment, capture_output=True, text=True, check=False)

    assert f"cannot write '{disk / 'it.pdn'}': {FULL}; choose another place" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    other.unlink()
    done = subprocess.run(command, input="quit\n", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
