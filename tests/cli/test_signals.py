"""Real processes that are told to end, or whose output or folder is gone: no traceback, and what was done is kept."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from alquerque_env.solve.tables import table_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

NEEDS_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
PROGRAM = [sys.executable, "-m", "alquerque_env"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]
ENDINGS = [signal.SIGTERM, *(pytest.param(number, marks=pytest.mark.long) for number in (SIGNALS[0], SIGNALS[2]))]

TINY = """
[run]
algorithm = "alphazero"
total_steps = 3000000
checkpoint_every = 1000
[self_play]
num_games = 16
rollout_steps = 24
[search]
simulations = 4
[alphazero]
batch_size = 64
warmup_positions = 128
window = 2000
processes = {processes}
[network]
width = 16
blocks = 1
"""


# Says when Python itself has started.
ANNOUNCED = """
import runpy, sys
sys.argv[0] = "alquerque"
print("begun", flush=True)
runpy.run_module("alquerque_env", run_name="__main__")
"""


def start(folder: Path, *words: object, program: Sequence[str] = PROGRAM) -> subprocess.Popen:
    """A program in a process group of its own, in which Ctrl-C does what it does in a terminal."""
    return subprocess.Popen(
        [*program, *map(str, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def send(process: subprocess.Popen, number: int, is_under_way: Callable[[], bool]) -> str:
    """Sends a signal to a program and its children once it is under way; returns everything that it prints."""
    while process.poll() is None and not is_under_way():
        time.sleep(0.02)
    assert process.poll() is None, process.communicate()
    os.killpg(process.pid, number)
    return "".join(process.communicate(timeout=60))


def end(process: subprocess.Popen, number: int, is_under_way: Callable[[], bool]) -> str:
    """Ends a program that is under way by a signal, which it takes as such; returns everything that it prints."""
    printed = send(process, number, is_under_way)
    assert process.returncode == 128 + number, printed
    assert "Traceback" not in printed
    return printed


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def done_of(path: Path) -> list[dict[str, object]]:
    """What notes say that has been done."""
    return json.loads(path.read_bytes())["done"] if path.exists() else []


@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.parametrize(
    ("command", "is_under_way", "kept"),
    [
        pytest.param(
            "arena fetaix random mcts:100 --games 400 --batch 2 -o arena.jsonl",
            lambda folder: lines_of(folder / "arena.jsonl") > 3,
            "arena.jsonl",
            marks=pytest.mark.skipif(find_spec("choix") is None, reason="needs choix"),
        ),
        (
            "solve fetaix --pieces 5 -o table.aqt --threads 1",
            lambda folder: len(done_of(folder / "table.aqt.work" / "progress.json")) > 1,
            "table.aqt.work/progress.json",
        ),
        (
            "solve alquerque --from-start --memory 0.05",
            lambda folder: any(folder.rglob("*.memory")),
            "**/questions.json",
        ),
    ],
)
@pytest.mark.slow
def test_a_signal_ends_long_work_and_keeps_what_was_done(
    tmp_path: Path, command: str, is_under_way: Callable[[Path], bool], kept: str, number: int, monkeypatch
) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    printed = end(start(tmp_path, *command.split()), number, lambda: is_under_way(tmp_path))
    assert "stopped; the same command resumes" in printed
    assert list(tmp_path.glob(kept))
    assert all(file.read_bytes().endswith(b"\n") for file in tmp_path.glob("*.jsonl"))
    assert not (tmp_path / "table.aqt").exists()


@pytest.mark.parametrize("number", [*ENDINGS, getattr(signal, "SIGKILL", signal.SIGTERM)])
@pytest.mark.slow
def test_a_signal_ends_a_verification_and_the_same_command_goes_on(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    command = "solve", "fetaix", "--verify", "--threads", 1
    progress = tmp_path / f"{next(table_file.FEW.glob('fetaix-*')).name}.verify" / "progress.json"

    process = start(tmp_path, *command)
    if number == signal.SIGKILL:
        send(process, number, lambda: len(done_of(progress)) > 1)
    else:
        assert "stopped; the same command resumes" in end(process, number, lambda: len(done_of(progress)) > 1)
    before = done_of(progress)
    process = start(tmp_path, *command)
    send(process, signal.SIGKILL, lambda: len(done_of(progress)) > len(before))
    assert done_of(progress)[: len(before)] == before

    printed, _ = start(tmp_path, *command).communicate(timeout=120)
    assert printed.endswith("every value checked\n")
    assert list(tmp_path.iterdir()) == []


@NEEDS_TORCH
@pytest.mark.parametrize("processes", [2, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.slow
def test_a_signal_ends_training_and_saves_it(tmp_path: Path, number: int, processes: int) -> None:
    """The processes of self-play get the signal too."""
    (tmp_path / "tiny.toml").write_text(TINY.format(processes=processes))
    process = start(tmp_path, "train", "tiny.toml")
    run = tmp_path / "runs" / "tiny-1"
    printed = end(process, number, lambda: lines_of(run / "log.jsonl") > 0)
    assert "interrupted and saved; resume with: alquerque train --resume" in " ".join(printed.split())
    assert list((run / "checkpoints").glob("step-*/training.safetensors"))


@pytest.mark.parametrize("count", [4, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "words",
    [["games"], ["arena", "fetaix", "random", "greedy"], pytest.param(["train", "quickstart"], marks=NEEDS_TORCH)],
)
@pytest.mark.slow
def test_ctrl_c_during_the_start_prints_no_traceback(tmp_path: Path, words: list[str], count: int) -> None:
    chance = random.Random(count)
    for _ in range(count):
        process = start(tmp_path, *words, program=[sys.executable, "-c", ANNOUNCED])
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.1 + chance.random())
        os.killpg(process.pid, signal.SIGINT)
        printed = "".join(process.communicate(timeout=60))
        # While Python ends, the signal does what it does without Python; a shell calls that 130 too.
        assert process.returncode in (0, 130, -signal.SIGINT), printed
        assert "Traceback" not in printed


# Gets Ctrl-C while a module is loaded that drops the exception, as code in C does when it asks for an attribute.
DROPPING = """
import runpy, signal, sys
sys.argv[0] = "alquerque"
class Dropping:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                print("dropped", flush=True)
sys.meta_path.insert(0, Dropping())
runpy.run_module("alquerque_env", run_name="__main__")
"""


@NEEDS_TORCH
@pytest.mark.slow
def test_ctrl_c_that_a_loading_module_drops_ends_training_too(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY.format(processes=1))
    process = start(tmp_path, "train", "tiny.toml", program=[sys.executable, "-c", DROPPING])
    printed = "".join(process.communicate(timeout=120))
    assert "dropped" in printed
    assert process.returncode == 130, printed
    assert not list((tmp_path / "runs").glob("*"))


def shell(folder: Path, command: str) -> subprocess.CompletedProcess:
    """Runs a command line in which `alquerque` is the program."""
    line = f'alquerque() {{ "{sys.executable}" -m alquerque_env "$@"; }}; set -o pipefail; {command}'
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("alquerque games >&-", 0, ""),
        ("alquerque games >&- 2>&- <&-", 0, ""),
        ("alquerque describe fetaix --json | true", 1, ""),
        ("alquerque games > /dev/full", 1, "alquerque_env: No space left on device"),
        ("alquerque nonsense 2> /dev/full", 2, ""),
        ("mkdir gone; cd gone; rmdir ../gone; alquerque games", 1, "the working directory has been deleted"),
    ],
)
@pytest.mark.slow
def test_output_or_a_folder_that_is_gone_ends_the_program_in_one_line(
    tmp_path: Path, command: str, status: int, words: str
) -> None:
    done = shell(tmp_path, command)
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert done.stderr.count("\n") == bool(words)
