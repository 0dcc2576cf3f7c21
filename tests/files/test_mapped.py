"""Files mapped into memory: their room is on the disk before they are used."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from alquerque_env.files.mapped import map_file
from tests.full_disk import files_up_to, small_disk

COUNT = 100_000


def refuse(*_arguments: int) -> None:
    """What a file system says that reserves no room."""
    raise OSError(errno.EOPNOTSUPP, "not here")


@pytest.fixture(params=["allocated", "no such call", "refused"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, where the system reserves room and where zeros are written instead."""
    if request.param == "no such call":
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    elif request.param == "refused":
        monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    return tmp_path / "numbers"


def test_a_new_file_has_zeros_and_room_for_all_of_them(path: Path) -> None:
    numbers = map_file(path, np.int16, COUNT)

    assert numbers.shape == (COUNT,)
    assert not numbers.any()
    assert path.stat().st_size == 2 * COUNT
    assert not hasattr(os.stat_result, "st_blocks") or path.stat().st_blocks * 512 >= 2 * COUNT
    assert [file.name for file in path.parent.iterdir()] == ["numbers"]


def test_a_file_keeps_its_numbers(path: Path) -> None:
    numbers = map_file(path, np.int64, COUNT)
    numbers[:] = np.arange(COUNT)
    numbers.flush()

    np.testing.assert_array_equal(map_file(path, np.int64, COUNT), np.arange(COUNT))


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system reserves no room")
def test_a_file_with_holes_gets_the_room_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    with path.open("wb") as file:
        file.truncate(2 * COUNT)
    assert path.stat().st_blocks * 512 < 2 * COUNT

    map_file(path, np.int16, COUNT)
    assert path.stat().st_blocks * 512 >= 2 * COUNT


def test_without_room_the_file_the_room_needed_and_the_room_there_is_are_named(path: Path) -> None:
    with small_disk(path.parent / "disk", 64) as disk:
        (disk / "other").write_bytes(bytes(16 << 10))
        with pytest.raises(OSError, match="No space left") as caught:
            map_file(disk / "numbers", np.int16, COUNT)

        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(disk / "numbers")
        assert caught.value.strerror == "No space left on device: it needs 200,000 bytes, and 49,152 are free"
        assert [file.name for file in disk.iterdir()] == ["other"]
        numbers = map_file(disk / "small", np.int16, 24_000)
        numbers[:] = 7
        numbers.flush()


def test_an_existing_file_that_lacks_room_is_not_changed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 64) as disk:
        with (disk / "numbers").open("wb") as file:
            file.write(b"\7")
            file.truncate(2 * COUNT)
        with pytest.raises(OSError, match="No space left"):
            map_file(disk / "numbers", np.int16, COUNT)

        assert (disk / "numbers").read_bytes() == b"\7" + bytes(2 * COUNT - 1)


def test_a_file_larger_than_allowed_is_refused(path: Path) -> None:
    with files_up_to(1000), pytest.raises(OSError, match=f"{os.strerror(errno.EFBIG)}: it needs 200,000 bytes"):
        map_file(path, np.int16, COUNT)

    assert list(path.parent.iterdir()) == []
