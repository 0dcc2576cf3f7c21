"""Locks: the second process is refused and told why; a killed holder does not keep the lock."""

import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from alquerque_env.files.lock import LockedError, locked, locked_file
from tests.full_disk import fill, small_disk
from tests.sets import first_by_default

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


def test_nothing_stays(tmp_path: Path) -> None:
    with locked(tmp_path / ".lock", "it"):
        assert (tmp_path / ".lock").exists()

    assert list(tmp_path.iterdir()) == []


def test_partial_files_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    """Those of the locked file or folder and of its lock, and no others."""
    (tmp_path / "one").mkdir()
    for name in (".one.01234567.partial", "one/.inside.01234567.partial", "..one.lock.holder.01234567.partial"):
        (tmp_path / name).touch()
    (tmp_path / ".one.two.01234567.partial").touch()

    with locked_file(tmp_path / "one"):
        pass

    assert {path.name for path in tmp_path.rglob("*")} == {"one", ".one.two.01234567.partial"}


def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path / "run" / ".lock", "it"):
        pass

    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_second_waits_if_it_is_told_to(tmp_path: Path) -> None:
    told: list[str] = []

    def note(sentence: str) -> None:
        told.append(sentence)
        print(file=process.stdin, flush=True)

    with held(tmp_path / ".lock") as process, locked(tmp_path / ".lock", "run 'one'", note):
        assert process.wait() == 0
        assert f"process {os.getpid()} on" in refusal(tmp_path / ".lock")

    (sentence,) = told
    assert sentence.startswith(f"run 'one' is in use by process {process.pid} on ")
    assert sentence.endswith("; waiting until it ends")


COUNT = """
import sys
from pathlib import Path
from alquerque_env.files.lock import locked_file
file = Path(sys.argv[1])
for _ in range(40):
    with locked_file(file, lambda _sentence: None):
        file.write_text(str(int(file.read_text()) + 1))
"""


@pytest.mark.slow
def test_one_process_after_the_other_has_a_lock_that_is_made_and_removed_each_time(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("0")
    children = [subprocess.Popen([sys.executable, "-c", COUNT, str(file)]) for _ in range(4)]

    assert [child.wait() for child in children] == [0] * 4
    assert file.read_text() == "160"
    assert list(tmp_path.iterdir()) == [file]


def test_files_have_locks_of_their_own(tmp_path: Path) -> None:
    """Also those whose names are too long for another name that repeats them."""
    names = ["one", "two", "x" * 250, "x" * 249 + "y"]
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(locked_file(tmp_path / name))
        for name in names:
            with pytest.raises(LockedError, match=f"{name}' is in use by"), locked_file(tmp_path / name):
                pass


def test_a_link_has_the_lock_of_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "one")

    with (
        locked_file(tmp_path / "folder" / "one"),
        pytest.raises(LockedError, match="link' is in use by"),
        locked_file(tmp_path / "link"),
    ):
        pass


@pytest.mark.slow
def test_on_a_full_disk_the_last_holder_is_not_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 64) as disk:
        with held(disk / ".lock") as process:
            process.kill()
            process.wait()
        os.link(disk / ".lock.holder", disk / "copy")  # so that its removal makes no room for the next one
        fill(disk)
        with held(disk / ".lock"):
            assert refusal(disk / ".lock") == "run 'one' is in use by another process: wait until it ends"


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL")
@pytest.mark.slow
def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    with held(tmp_path / ".lock") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with locked(tmp_path / ".lock", "it"):
            assert f"process {os.getpid()} on" in refusal(tmp_path / ".lock")


@first_by_default
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
