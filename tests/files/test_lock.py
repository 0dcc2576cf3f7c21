"""Locks: the second process is refused and told why; a killed holder does not keep the lock."""

import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from alquerque_env.files.lock import LockedError, locked

HOLD = """
import sys
from pathlib import Path
from alquerque_env.files.lock import locked
with locked(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    input()
"""


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen]:
    """Another process that holds a lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.communicate("\n")


def refusal(path: Path) -> str:
    with pytest.raises(LockedError) as caught, locked(path, "run 'one'"):
        pass
    return str(caught.value)


def test_the_second_is_told_who_holds_it_since_when_and_what_to_do(tmp_path: Path) -> None:
    with held(tmp_path / ".lock") as process:
        assert re.fullmatch(
            f"run 'one' is in use by process {process.pid} on {re.escape(platform.node())} "
            r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d: wait until it ends, or stop it",
            refusal(tmp_path / ".lock"),
        )
    with locked(tmp_path / ".lock", "run 'one'"):
        assert "in use" in refusal(tmp_path / ".lock")


def test_only_the_lock_file_stays(tmp_path: Path) -> None:
    with locked(tmp_path / ".lock", "it"):
        pass

    assert {path.name for path in tmp_path.iterdir()} <= {".lock"}


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL")
def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    with held(tmp_path / ".lock") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with locked(tmp_path / ".lock", "it"):
            assert f"process {os.getpid()} on" in refusal(tmp_path / ".lock")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"pid": "x", "host": 1, "since": 2}'])
def test_a_lock_whose_holder_is_not_known_is_still_a_lock(tmp_path: Path, content: str) -> None:
    with held(tmp_path / ".lock"):
        (tmp_path / ".lock.holder").write_text(content)
        assert refusal(tmp_path / ".lock") == "run 'one' is in use by another process: wait until it ends"


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with (
        pytest.raises(OSError, match=r"Not a directory|File exists|No such") as caught,
        locked(tmp_path / "file" / ".lock", "it"),
    ):
        pass

    assert caught.value.filename == str(tmp_path / "file" / ".lock")
