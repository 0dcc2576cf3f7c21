"""Devices and pipes in place of files: refused at once, where reading them would block or never end."""

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env.cli.main import main
from alquerque_env.files.json_lines import JsonLines
from alquerque_env.files.regular import read_regular

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture(params=["pipe", "/dev/zero", "/dev/full"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that never ends, or that waits for another process."""
    if request.param == "pipe":
        os.mkfifo(tmp_path / "pipe")
    return tmp_path / request.param


def test_what_is_no_regular_file_is_not_read(special: Path) -> None:
    with pytest.raises(OSError, match="it is not a regular file") as caught:
        read_regular(special)
    assert caught.value.filename == str(special)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_lines_are_not_added_to_a_device(device: str) -> None:
    with pytest.raises(OSError, match="it is not a regular file"):
        JsonLines(Path(device), "a list", ("list", 1), {})


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    assert read_regular(tmp_path / "file") == b"content"


@pytest.mark.parametrize(
    "command",
    [
        "arena fetaix random greedy -o {}",
        "arena fetaix random greedy --picture {}",
        "openings fetaix --count 2 -o {}",
        "solve fetaix --pieces 2 -o {}",
        "solve fetaix --verify --table {}",
        "benchmark run random fetaix -o {}",
        "benchmark leaderboard {}",
        "export fetaix-small -o {}",
        "plot {}",
        "play fetaix --load {}",
        "play fetaix --save {}",
    ],
)
def test_no_command_takes_a_device_or_a_pipe_for_a_file(command: str, special: Path) -> None:
    result = CliRunner().invoke(main, shlex.split(command.format(special)))
    assert result.exit_code in (1, 2), result.output
    assert isinstance(result.exception, SystemExit)
    assert str(special) in result.stderr
