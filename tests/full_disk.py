"""Full disks, for a while."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Within it no file of this process can become longer: part of what is written may still go in."""
    resource = pytest.importorskip("resource", reason="there is no limit on files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def small_disk(folder: Path, kibibytes: int) -> Iterator[Path]:
    """A disk of this size in a new folder. The test is skipped where it may not mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("there is no right to mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Leaves no room on a disk; returns the file that takes it."""
    other = disk / "other"
    with other.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
    return other


def enlarge(disk: Path, kibibytes: int) -> None:
    """Makes a disk larger."""
    subprocess.run(["mount", "-o", f"remount,size={kibibytes}k", str(disk)], check=True)
