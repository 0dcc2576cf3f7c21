"""The checks of the rules of play, which run on a mutant in a forked process with kernels off.

Fastest first: random positions compared with the reference under every option value, the tests of the rules, random
matches compared with the reference, matches by PyTorch compared with matches one by one.
"""

import asyncio
import contextlib
import io
import multiprocessing
import random
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from alquerque_env.engine import binding, random_play, rules_scalar, rules_torch
from tools.mutation.mutants import SURVIVED, Mutant

HERE = Path(__file__).resolve().parent
BINDING = rules_scalar, random_play, rules_torch  # the modules that bind the text
SECONDS = 20
"""CPU time after which a check counts as failed: the random positions of `zamma` on 81 points take half of it."""
MEMORY = 4 << 30


def put_in(mutant: Mutant) -> None:
    """Changes the text and binds the function again, in every module that has it."""
    name = mutant.code.tree.name
    text = sys.modules[".".join(mutant.file.with_suffix("").parts)]
    binding.source_of(str(text.__file__))[name] = mutant.function_text()
    for module in BINDING:
        for place, original in list(vars(module).items()):
            if (getattr(original, "__module__", ""), getattr(original, "__name__", "")) == (
                module.__name__,
                name,
            ) and original.__code__.co_filename == text.__file__:
                changed = binding.bind_again(getattr(text, name), vars(module))
                for other in list(sys.modules.values()):
                    if getattr(other, "__dict__", {}).get(place) is original:
                        setattr(other, place, changed)


class Limit:
    """Lets a check fail that takes too long."""

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class LimitEachTest:
    """A plugin of pytest that limits the time of each test."""

    def pytest_runtest_setup(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)

    def pytest_runtest_teardown(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def stop(*_: object) -> None:
    raise TimeoutError


class MatchError(Exception):
    """A difference from the reference, with the index of its game."""


def check_games(check: Callable[[Any], None], first: list[int]) -> None:
    """Compares with the reference under every option value, games in `first` before the others."""
    games = games_of_all_options()
    for index in [*first, *(index for index in range(len(games)) if index not in first)]:
        try:
            with Limit():
                check(games[index])
        except BaseException as error:
            raise MatchError(index) from error


@cache
def games_of_all_options() -> list[Any]:
    """Games under every option value, mixed so that options of all kinds are met early."""

    from alquerque_env import load_game
    from tests.option_values import UNCOMMON, every_value, uncommon_game

    cases = every_value()
    mixed = random.Random(1).sample(cases, len(cases))
    return [load_game(name, **options) for name, options in mixed] + [uncommon_game(*case) for case in UNCOMMON]


def check_tests() -> None:
    """The tests of the rules."""
    import pytest

    engine = HERE.parents[1] / "tests" / "engine"
    tests = [
        f"{engine}/test_worked_positions.py",
        f"{engine}/test_engine.py::test_legal_actions_do_not_depend_on_what_buffers_held_before",
        f"{engine}/test_engine.py::test_the_opening_rule_holds_at_any_clock_where_there_is_no_limit",
    ]
    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", f"--rootdir={HERE.parents[1]}"]
    if pytest.main([*tests, *options], [LimitEachTest()]) != 0:
        raise AssertionError("a test of the rules failed")


def run_checks(first: list[int]) -> None:
    """Raises an error if a check fails."""
    from tests.all_forms import compare_batches, compare_matches, compare_positions

    check_games(compare_positions, first)
    check_tests()
    check_games(lambda game: compare_matches(game, 4), first)
    check_games(compare_batches, first)


def run_mutant(mutant: Mutant, first: list[int], connection: Any) -> None:
    """Sends how a mutant was killed, or that it survived, and the index of the game that killed it."""
    # The handlers of these signals are those of the process that has forked.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGVTALRM, stop)
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(2000)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            put_in(mutant)
            run_checks(first)
            result = SURVIVED, None
        except MatchError as error:
            result = f"killed by {type(error.__cause__).__name__}", error.args[0]
        except BaseException as error:
            result = f"killed by {type(error).__name__}", None
    connection.send(result)


async def run_in_fork(mutant: Mutant, killers: list[int]) -> str:
    """Runs one mutant in a process of its own; games that have killed mutants come first, the latest before others."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_mutant, args=(mutant, killers[::-1], sender))
    process.start()
    sender.close()
    try:
        await readable(receiver)
        result, killer = receiver.recv()
    except EOFError:
        result, killer = "killed with its process", None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if killer is not None:
        killers[:] = [index for index in killers if index != killer] + [killer]
    return str(result)


async def readable(connection: Any) -> None:
    """Waits until a process has sent something or has ended."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(connection.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(connection.fileno())


def run_checks_unchanged() -> None:
    """Loads what the checks need, so that every fork has it, and makes sure that they pass."""
    signal.signal(signal.SIGVTALRM, stop)
    run_checks([])
