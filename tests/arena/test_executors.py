"""An arena whose batches other processes play: the same result and file, to the byte."""

import json
import multiprocessing as mp
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alquerque_env import load_bot, load_game
from alquerque_env.arena import Question, Settings, play_arena
from alquerque_env.arena.openings import extend_list, find_openings
from alquerque_env.arena.schedule import AHEAD, in_order
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.errors import AlquerqueError, BotError

pytest.importorskip("choix")

FETAIX = load_game("fetaix")
QUICK = Settings(games=24, plies=6, seed=3, judge="random", batch=4, resamples=20)

CHEAT = """
import sys

sys.exit("no turn today")
"""


@pytest.fixture(scope="module", params=["thread", pytest.param("processes", marks=pytest.mark.slow)])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    is_thread = request.param == "thread"
    with ThreadPoolExecutor(1) if is_thread else ProcessPoolExecutor(2, mp.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained bot under a path that the package does not know."""
    folder = tmp_path_factory.mktemp("trained") / "mine"
    return shutil.copytree(shipped_bots()["fetaix-small"], folder)


def play(path: Path, bots: list[str], settings: Settings = QUICK, **others: Any) -> tuple[dict[str, Any], bytes]:
    result = play_arena(FETAIX, bots, settings, output=path, **others)
    return result.as_dict(), path.read_bytes()


def test_processes_play_an_arena_as_one_does(pool: Executor, checkpoint: Path, tmp_path: Path) -> None:
    bots = ["greedy", str(checkpoint), "alphabeta:1"]
    settings = replace(QUICK, games=4, batch=2)

    assert play(tmp_path / "far", bots, settings, executor=pool) == play(tmp_path / "here", bots, settings)


def test_a_bot_that_fails_loses_in_the_same_words(pool: Executor, checkpoint: Path, tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text(CHEAT)
    settings = replace(QUICK, games=4)
    far = play(tmp_path / "far", [str(cheat), "greedy"], settings, executor=pool)

    assert far == play(tmp_path / "here", [str(cheat), "greedy"], settings)
    faults = [json.loads(line)["fault"] for line in far[1].splitlines()[2:]]
    assert all(str(cheat) in fault and "no turn today" in fault for fault in faults)


def test_a_sequential_test_stops_after_the_same_match(pool: Executor, tmp_path: Path) -> None:
    settings = replace(QUICK, games=120, sprt=Question(0, 100))
    result, content = play(tmp_path / "far", ["alphabeta:2", "random"], settings, executor=pool)

    assert (result, content) == play(tmp_path / "here", ["alphabeta:2", "random"], settings)
    assert len(content.splitlines()) < 2 + settings.games


@pytest.mark.parametrize("lines", [1, 2, 9, 20])
@pytest.mark.slow
def test_who_is_interrupted_goes_on_here_or_elsewhere(pool: Executor, lines: int, tmp_path: Path) -> None:
    whole = play(tmp_path / "whole", ["greedy", "random"])
    begun = b"".join(whole[1].splitlines(keepends=True)[:lines])
    for name, executor in (("far", pool), ("here", None)):
        (tmp_path / name).write_bytes(begun)
        assert play(tmp_path / name, ["greedy", "random"], executor=executor) == whole


@pytest.mark.slow
def test_processes_find_the_same_openings(pool: Executor) -> None:
    far, here = (
        find_openings(FETAIX, 40, 8, seed=5, judge="random", max_steps=300, executor=executor)
        for executor in (pool, None)
    )

    assert far == here
    assert far.tried > 32


@pytest.mark.slow
def test_processes_make_the_same_list(pool: Executor, tmp_path: Path) -> None:
    def extend(name: str, count: int, executor: Executor | None) -> tuple[Any, bytes]:
        found = extend_list(tmp_path / name, FETAIX, count, judges=["random", "random"], executor=executor)
        return found, (tmp_path / name).read_bytes()

    here = extend("here", 40, None)
    assert len(here[1].splitlines()) > 3
    assert extend("far", 40, pool) == here
    extend("both", 10, pool)
    assert extend("both", 40, None) == here


@pytest.mark.slow
def test_objects_and_engines_stay_here(pool: Executor, tmp_path: Path) -> None:
    greedy = load_bot("greedy", FETAIX, seed=0)
    with pytest.raises(AlquerqueError, match="'greedy' is an object, which other machines cannot load"):
        play_arena(FETAIX, [greedy, "random"], QUICK, output=tmp_path / "file", executor=pool)
    engine = f"ugi:{shutil.which('python3') or 'python'} -m alquerque_env engine greedy"
    with pytest.raises(BotError, match="starts a program, which other machines need not have"):
        play_arena(FETAIX, [engine, "random"], QUICK, output=tmp_path / "file", executor=pool)
    assert not (tmp_path / "file").exists()


class Patient(Executor):
    """Answers the first call when it has as many as it may get, and no other."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, _function: Callable[..., Any], *_arguments: Any) -> "Future[Any]":  # type: ignore[override]
        self.futures.append(Future())
        if len(self.futures) == AHEAD:
            self.futures[0].set_result(7)
        return self.futures[-1]


def test_calls_ahead_are_bounded_and_those_without_use_are_cancelled() -> None:
    executor = Patient()
    left = iter(range(10 * AHEAD))

    results = in_order(executor, abs, left)
    assert next(results) == (0, 7)
    assert next(left) == len(executor.futures) == AHEAD
    results.close()
    assert all(future.cancelled() for future in executor.futures[1:])
