"""Long work as users start it: the command, what it leaves, and what its result is."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from alquerque_env import load_game
from alquerque_env.files.json_lines import whole_lines
from alquerque_env.game.step import split_turn
from alquerque_env.match.records import load_record
from alquerque_env.solve.tables.table_file import TableFile

TYPED = "1\n" * 200
"""The first legal step, until the match is over."""

PPO = """
[run]
game = "alquerque"
total_steps = 8192
checkpoint_every = 2
[self_play]
num_games = 32
rollout_steps = 16
max_cycles = 40
[ppo]
minibatch_size = 128
[network]
width = 16
blocks = 1
[evaluation]
games_per_seat = 4
every = 4
"""

ALPHAZERO = """
[run]
algorithm = "alphazero"
total_steps = 3072
checkpoint_every = 2
[self_play]
num_games = 16
rollout_steps = 24
[search]
simulations = 4
[alphazero]
batch_size = 64
warmup_positions = 128
window = 2000
processes = 2
[network]
width = 16
blocks = 1
[evaluation]
games_per_seat = 4
every = 4
"""


@dataclass(frozen=True)
class Work:
    """A kind of long work.

    Attributes:
      words: The command that begins it in a folder, or goes on with what is there.
      result: What has to be the same whether or not it was disturbed, of a folder and what the command printed.
      inputs: Files that are there before.
      is_finished: Whether nothing is left to do, so that the command would be refused.
      kept: What must be kept once it is in a file, in order; more is only added at its end.
      shown: What was printed and must then be kept, in order.
    """

    words: Callable[[Path], Sequence[object]]
    result: Callable[[Path, str], Any]
    inputs: Mapping[str, str] = field(default_factory=dict)
    is_finished: Callable[[Path], bool] = lambda _place: False
    kept: Callable[[Path], list[Any]] = lambda _place: []
    shown: Callable[[str], list[Any]] = lambda _printed: []

    def prepare(self, folder: Path) -> None:
        """Makes the folder of the work."""
        folder.mkdir()
        for name, text in self.inputs.items():
            (folder / name).write_text(text)

    def start(self, folder: Path, place: Path | None = None) -> "subprocess.Popen[str]":
        """Starts the command in a process group of its own; `place` is the folder of its files, if it is another."""
        place = place or folder
        environment = {**os.environ, "ALQUERQUE_TABLES": str(place), "XDG_STATE_HOME": str(place / "state")}
        command = [sys.executable, "-m", "alquerque_env", *map(str, self.words(place))]
        with (folder / "typed").open("w+") as typed:
            typed.write(TYPED)
            typed.seek(0)
            Path(typed.name).unlink()
            return subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=typed,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def outcome(self, place: Path, printed: str) -> tuple[list[str], Any]:
        """The names of all files in a folder, and the result. TensorBoard begins a new file with each process."""
        names = {str(file.relative_to(place)) for file in place.rglob("*") if file.parent.name != "tensorboard"}
        return sorted(names), self.result(place, printed)


def table_content(path: Path) -> Any:
    """What a table says, but for how long it took."""
    return replace(TableFile(path).header, seconds=0), path.read_bytes().split(b"\n", 2)[2]


def _solution(_folder: Path, printed: str) -> Any:
    """The winner and the answers; which positions were searched depends on when the search was resumed."""
    found = _printed_object(printed)
    return found["winner"], [(each["player"], each["state"]) for each in found["questions"]]


def _printed_object(printed: str) -> dict[str, Any]:
    """The object on standard output, after lines on the error output."""
    return dict(json.loads(printed[printed.index("{\n") :]))


def _arena(folder: Path, printed: str) -> Any:
    return (folder / "it.jsonl").read_bytes(), printed[printed.index("{\n") :]


def _lines(folder: Path) -> list[bytes]:
    file = folder / "it.jsonl"
    return whole_lines(file.read_bytes()) if file.exists() else []


def _benchmark(folder: Path, _printed: str) -> Any:
    found = json.loads((folder / "it.json").read_text())
    return {game: {**each, "timing": None, "processor_seconds": None} for game, each in found["games"].items()}


def _turns(folder: Path) -> list[str]:
    file = folder / "it.pdn"
    return [step.text for step in load_record(file).match.steps] if file.exists() else []


def _shown_steps(printed: str) -> list[str]:
    """The steps in lines such as `South plays a1-a2` and `North (greedy) plays a5xc3xe1`, captures step by step."""
    turns = [line.rpartition(" plays ")[2] for line in printed.splitlines() if " plays " in line]
    steps = [step for turn in turns for step in split_turn(turn, BOARD)]
    return [step if victim is None else f"{step}^{victim}" for step, victim in steps]


def _play(place: Path) -> list[object]:
    begun = ["--load", place / "it.pdn"] if (place / "it.pdn").exists() else []
    return ["play", "fetaix", "--opponent", "alphabeta:4", *begun, "--save", place / "it.pdn"]


def _train(config: str) -> Callable[[Path], Sequence[object]]:
    def words(place: Path) -> list[object]:
        run = place / "runs" / f"{config}-1"
        begun = ["--resume", run] if (run / "config.json").exists() else []
        return ["train", f"{config}.toml", f"run.directory={place / 'runs'}", *begun]

    return words


def _is_trained(place: Path) -> bool:
    return any(place.glob("runs/*/checkpoints/final"))


def _log(run: Path) -> list[dict[str, Any]]:
    clocks = {"seconds", "steps_per_second", "playing_share"}
    lines = [json.loads(line) for line in (run / "log.jsonl").read_bytes().splitlines()]
    return [{key: value for key, value in line.items() if key not in clocks} for line in lines]


def _run(folder: Path, _printed: str) -> Any:
    run = folder / "runs" / "ppo-1"
    return _log(run), (run / "checkpoints" / "final" / "weights.safetensors").read_bytes()


def _run_of_processes(folder: Path, _printed: str) -> Any:
    run = folder / "runs" / "alphazero-1"
    return _log(run), (run / "checkpoints" / "final" / "weights.safetensors").read_bytes()


BOARD = load_game("fetaix").board
POSITION = "W:Wa1,b1:Bd5,e5"
ARENA = ("arena", "fetaix", "random", "greedy", "alphabeta:2", "--games", 12, "--batch", 4, "--plies", 6)

WORKS = {
    "train": Work(_train("ppo"), _run, {"ppo.toml": PPO}, _is_trained),
    "train-processes": Work(_train("alphazero"), _run_of_processes, {"alphazero.toml": ALPHAZERO}, _is_trained),
    "table": Work(
        lambda place: ["solve", "alquerque_murray", "--pieces", 4, "--verify", "--threads", 1, "-o", place / "it.aqt"],
        lambda place, _printed: table_content(place / "it.aqt"),
    ),
    "proof": Work(
        lambda _place: ["solve", "alquerque", "--from-start", "--position", POSITION, "--memory", 0.004, "--json"],
        _solution,
    ),
    "arena": Work(lambda place: [*ARENA, "-o", place / "it.jsonl", "--json"], _arena, kept=_lines),
    "openings": Work(
        lambda place: ["openings", "fetaix", "--judge", "alphabeta:1", "--count", 30, "-o", place / "it.jsonl"],
        lambda place, _printed: _lines(place),
        kept=_lines,
    ),
    "benchmark": Work(
        lambda place: ["benchmark", "run", "random", "fetaix", "alquerque", "--quick", "-o", place / "it.json"],
        _benchmark,
    ),
    "play": Work(
        _play,
        lambda place, _printed: _turns(place),
        is_finished=lambda place: (place / "it.pdn").exists() and load_record(place / "it.pdn").match.is_over,
        kept=_turns,
        shown=_shown_steps,
    ),
}
