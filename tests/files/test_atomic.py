"""Files and folders written whole or not at all: on a full disk, by a killed process, by two writers at once."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from alquerque_env.files.atomic import (
    make_whole_folder,
    open_whole,
    remove_partials,
    write_whole,
)
from tests.full_disk import files_up_to

OLD, NEW = b"old" * 100, b"new" * 5000


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_has_what_was_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", OLD)
    write_whole(tmp_path / "one", NEW)

    assert (tmp_path / "one").read_bytes() == NEW
    assert names(tmp_path) == ["one"]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_exists_can_be_kept(tmp_path: Path, has_links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_paths: Path) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    write_whole(tmp_path / "one", OLD, overwrite=False)
    with pytest.raises(FileExistsError) as caught:
        write_whole(tmp_path / "one", NEW, overwrite=False)

    assert caught.value.filename == str(tmp_path / "one")
    assert (tmp_path / "one").read_bytes() == OLD
    assert names(tmp_path) == ["one"]


def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    write_whole(tmp_path / "there" / "one", OLD)
    (tmp_path / "link").symlink_to(Path("there") / "one")

    write_whole(tmp_path / "link", NEW)

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "one").read_bytes() == NEW


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    name = "ä" * 125  # 250 bytes
    write_whole(tmp_path / name, NEW)

    assert names(tmp_path) == [name]


@pytest.mark.parametrize("is_new", [True, False])
def test_on_a_full_disk_a_file_stays_as_it_was(tmp_path: Path, is_new: bool) -> None:
    path = tmp_path / "one"
    if not is_new:
        write_whole(path, OLD)

    with files_up_to(1000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
        write_whole(path, NEW)

    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    assert names(tmp_path) == ([] if is_new else ["one"])
    assert is_new or path.read_bytes() == OLD


def test_on_a_full_disk_no_part_of_a_folder_is_left(tmp_path: Path) -> None:
    with files_up_to(1000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:  # noqa: SIM117
        with make_whole_folder(tmp_path / "one") as folder:
            write_whole(folder / "small", OLD)
            write_whole(folder / "large", NEW)

    assert caught.value.filename == str(tmp_path / "one")
    assert names(tmp_path) == []


def test_an_error_of_the_caller_leaves_the_file_and_is_not_changed(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", OLD)
    missing = tmp_path / "missing"

    with pytest.raises(FileNotFoundError) as caught, open_whole(tmp_path / "one") as file:
        file.write(NEW)
        missing.read_bytes()

    assert caught.value.filename == str(missing)
    assert (tmp_path / "one").read_bytes() == OLD
    assert names(tmp_path) == ["one"]


@pytest.mark.parametrize("place", ["missing/one", "folder"])
def test_what_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match=r"No such file|Is a directory") as caught:
        write_whole(tmp_path / place, NEW)

    assert caught.value.filename == str(tmp_path / place)
    assert names(tmp_path) == ["folder"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such files")
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="it is not a file"):
        write_whole(tmp_path / "pipe", NEW)

    assert not (tmp_path / "pipe").is_file()


def test_two_writers_of_one_file_do_not_write_into_each_others(tmp_path: Path) -> None:
    path = tmp_path / "one"
    with open_whole(path) as first:
        first.write(OLD)
        with open_whole(path) as second:
            second.write(NEW)
        assert path.read_bytes() == NEW
        first.write(OLD)

    assert path.read_bytes() == OLD + OLD
    assert names(tmp_path) == ["one"]


def test_leftovers_of_one_file_are_told_from_those_of_others(tmp_path: Path) -> None:
    for name in ("one", "one.two"):
        with open_whole(tmp_path / name):  # the hidden file, copied as a killed writer leaves it
            (hidden,) = tmp_path.glob(f".{name}.????????.partial")
            os.link(hidden, tmp_path / f".{name}.0123abcd.partial")

    remove_partials(tmp_path, "one")
    assert [name for name in names(tmp_path) if name.startswith(".")] == [".one.two.0123abcd.partial"]
    remove_partials(tmp_path)
    assert names(tmp_path) == ["one", "one.two"]


CHILD = """
    import os, signal, sys
    from pathlib import Path
    from alquerque_env.files.atomic import make_whole_folder, remove_whole_folder, write_whole

    # What changes the disk; a file is flushed to it before its fsync.
    folder, task, moment, seen = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), 0

    def note(event, arguments):
        global seen
        changes = event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir")
        if changes or (event == "open" and str(folder) in str(arguments)):
            step()

    def step():
        global seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    fsync = os.fsync
    os.fsync = lambda descriptor: (step(), fsync(descriptor))
    sys.addaudithook(note)
    if task == "folder":
        with make_whole_folder(folder / "one") as made:
            write_whole(made / "a", b"new" * 5000)
            write_whole(made / "b", b"new" * 5000)
    elif task == "remove":
        remove_whole_folder(folder / "one")
    else:
        write_whole(folder / "one", b"new" * 5000, overwrite=task == "replace")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL")
@pytest.mark.parametrize("task", ["replace", "create", "folder", "remove"])
@pytest.mark.slow
def test_a_process_killed_at_any_moment_leaves_the_old_or_the_new(tmp_path: Path, task: str) -> None:
    """A child is killed before the first operation on the disk, another before the second, and so on to the end."""
    script = tmp_path / "child.py"
    script.write_text(textwrap.dedent(CHILD))
    states = []
    for moment in range(1, 40):
        folder = tmp_path / str(moment)
        folder.mkdir()
        if task == "replace":
            write_whole(folder / "one", OLD)
        elif task == "remove":
            with make_whole_folder(folder / "one") as made:
                write_whole(made / "a", NEW)
                write_whole(made / "b", NEW)
        status = subprocess.run([sys.executable, script, folder, task, str(moment)], timeout=60).returncode
        assert status in (0, -signal.SIGKILL)
        states.append(state(folder / "one"))
        remove_partials(folder)
        assert set(names(folder)) <= {"one"}
        if status == 0:
            break
    before, after = {
        "replace": (OLD, NEW),
        "create": (None, NEW),
        "folder": (None, {"a": NEW, "b": NEW}),
        "remove": ({"a": NEW, "b": NEW}, None),
    }[task]
    assert status == 0
    assert states[0] == before
    assert states[-1] == after
    assert all(found in (before, after) for found in states)
    assert len(states) > 4


def state(path: Path) -> object:
    """What stands under a name."""
    if path.is_dir():
        return {each.name: each.read_bytes() for each in path.iterdir()}
    return path.read_bytes() if path.exists() else None
