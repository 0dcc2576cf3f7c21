"""Short runs of AlphaZero and PPO in one file each."""

import re
import runpy
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHORT = {
    "alphazero_in_one_file": [
        "--iterations",
        "4",
        "--matches",
        "32",
        "--batch",
        "64",
        "--simulations",
        "8",
        "--width",
        "64",
    ],
    "ppo_in_one_file": shlex.split("--iterations 12 --matches 128 --batch 512 --width 64"),
}

pytestmark = pytest.mark.slow
pytest.importorskip("torch")
each = pytest.mark.parametrize("name", SHORT)


def run(folder: Path, name: str, *arguments: str) -> str:
    """What an example prints, run in a folder."""
    command = [sys.executable, EXAMPLES / f"{name}.py", *arguments, "--opponent", "random"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@each
def test_a_short_run_writes_weights_that_beat_random_play(tmp_path, name):
    printed = run(tmp_path, name, "alquerque", *SHORT[name], "--weights", "first", "--opponent-matches", "60")
    won = re.search(r"^alquerque: won (\d+) of 60 against random", printed, re.MULTILINE)
    assert won, printed
    assert int(won[1]) > 40, printed

    again = run(tmp_path, name, *SHORT[name], "--evaluate", "--weights", "first", "--opponent-matches", "60")
    assert again.splitlines()[-1] == printed.splitlines()[-1]


@each
def test_a_game_with_draws_by_repetition_is_learned_too_and_the_same_seed_gives_the_same(tmp_path, name):
    short = ["--iterations", "1", "--matches", "8", "--width", "16", "--opponent-matches", "2"]
    for weights in ("first", "second"):
        printed = run(tmp_path, name, "draughts_international", *short, "--weights", weights)
        assert "draughts_international: won" in printed
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@each
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C alone there")
def test_ctrl_c_ends_a_run_in_one_line_and_saves_the_weights(tmp_path, name):
    command = [sys.executable, EXAMPLES / f"{name}.py", *SHORT[name][2:], "--weights", "saved"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline().startswith("iteration 1")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert errors.splitlines() == ["stopped by Ctrl-C"]
    assert (tmp_path / "saved").stat().st_size > 0


@each
@pytest.mark.parametrize(
    "wrong",
    [
        ["alquerqe"],
        ["--opponent", "gredy"],
        ["--weights", "no/folder"],
        ["--evaluate", "--weights", EXAMPLES / "run"],
        ["--evaluate", "--weights", EXAMPLES.parent / "checkpoints" / "alquerque" / "small" / "weights.safetensors"],
    ],
    ids=["game", "bot", "folder", "text", "checkpoint"],
)
def test_a_wrong_argument_is_refused_in_one_sentence_before_the_training(tmp_path, monkeypatch, capsys, name, wrong):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, wrong)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed, told = capsys.readouterr()
    assert (ended.value.code, printed) == (2, "")
    assert re.fullmatch(r"usage: .*\n.*: error: [^\n]*\n", told, re.DOTALL), told
