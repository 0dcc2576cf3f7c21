"""Two processes that work on the same file at once: the second waits or is told why not, and both results are right."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from alquerque_env import Match, load_game
from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.openings import extend_list
from alquerque_env.benchmark import load_protocol, run_benchmark
from alquerque_env.benchmark.runner import PartialResults
from alquerque_env.files.lock import LockedError
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.tables import build_table
from tools.faults.long_work import table_content
from tools.faults.two_builders import GAME, PIECES

Watch = Callable[..., None]

FETAIX = load_game("fetaix")


def build(path: Path, watch: Watch, note: Watch | None = None) -> object:
    build_table(GAME, PIECES, path, watch=watch, note=note, threads=1)
    return table_content(path)


def prove(path: Path, watch: Watch) -> object:
    return solve_position(Match(load_game("alquerque")), memory=0.01, seconds=0, folder=path, watch=watch).winner


def play(path: Path, watch: Watch) -> object:
    settings = Settings(games=8, plies=6, seed=3, judge="random", resamples=20)
    return play_arena(FETAIX, ["random", "greedy"], settings, output=path, watch=watch).as_dict()


def open_matches(path: Path, watch: Watch) -> object:
    return extend_list(path, FETAIX, 2, judges=["random"], watch=watch)


def measure(path: Path, watch: Watch) -> object:
    with PartialResults(path) as partial:
        found = run_benchmark("random", ["fetaix"], load_protocol().shortened(), watch=watch, partial=partial)
    return found.as_dict()["games"]["fetaix"]["choices"]


def unwatched(*_progress: object) -> None:
    """Sees nothing."""


def pause() -> Watch:
    """Pauses at the first report until a line comes in."""
    seen: list[int] = []

    def watch(*_progress: object) -> None:
        if not seen:
            seen.append(0)
            print("there", flush=True)
            input()

    return watch


@contextmanager
def child(code: str, *arguments: object) -> Iterator[subprocess.Popen]:
    """A process that runs some code with what this module has."""
    program = f"import sys; from {__name__} import *; {code}"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.communicate("\n")
        assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("task", [prove, play, open_matches, measure])
def test_the_second_is_told_who_works_on_the_file_and_both_results_are_right(
    tmp_path: Path, task: Callable[[Path, Watch], object]
) -> None:
    path = tmp_path / "it"
    with child(f"{task.__name__}(Path(sys.argv[1]), pause())", path) as first:
        assert first.stdout.readline() == "there\n"
        with pytest.raises(LockedError) as caught:
            task(path, unwatched)
        assert str(caught.value).startswith(f"{str(path)!r} is in use by process {first.pid} on ")
        assert str(caught.value).endswith(": wait until it ends, or stop it")

    assert task(path, unwatched) == task(tmp_path / "alone", unwatched)
    assert {file.name.split(".")[0] for file in tmp_path.iterdir()} == {"it", "alone"}


@pytest.mark.slow
def test_the_second_builder_of_a_table_waits_and_finds_it_built(tmp_path: Path) -> None:
    path = tmp_path / "table.aqt"
    seen: list[object] = []
    told: list[str] = []
    with child("build(Path(sys.argv[1]), pause())", path) as first:
        assert first.stdout.readline() == "there\n"

        def note(sentence: str) -> None:
            told.append(sentence)
            print(file=first.stdin, flush=True)

        found = build(path, lambda *progress: seen.append(progress), note)

    assert [sentence.startswith(f"{str(path)!r} is in use by process {first.pid} on ") for sentence in told] == [True]
    assert seen == []
    assert found == build(tmp_path / "alone.aqt", unwatched)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["alone.aqt", "table.aqt"]
