"""How long the package takes to start, beside the packages that it imports: `alquerque bench start`.

Each time is that of a new process, by the clock. It begins before the process is started, so it includes the start of
Python, and it ends when the result is there. The base is measured in the same way.

A time with an empty cache is that of the first use after an installation, where there are no compiled kernels. The
bytecode of the modules is there, since installers write it.
"""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ...bots.external.process import KILL_TIMEOUT, Process, ProcessError
from ...bots.levels import levels
from ...errors import BenchmarkError, one_line, shorten
from ...game.game import load_game
from ...game.kernel_arrays import JIT

GAME = "alquerque"
BASE = "import numpy, gymnasium, pettingzoo"
LIMIT = 1800.0
"""Seconds after which a process is given up."""

README_EXAMPLE = """\
from alquerque_env import Match, load_bot, load_game
game = load_game("fetaix", man_capture_dirs="all")
match = Match(game)
match.push("c2-c3")
[str(step) for step in match.legal_steps]
bots = [load_bot("greedy", game, seed=0), load_bot("alphabeta:3", game, seed=0)]
while not match.is_over:
    match.push(bots[match.player].choose(match))
match.outcome
"""
"""The first example of the README as a program."""

_IMPORT = "import alquerque_env"
_AEC_STEP = f"""\
from alquerque_env import env
match = env({GAME!r})
match.reset(seed=0)
match.step(int(match.last()[0]["action_mask"].argmax()))
"""
_BATCH_STEP = f"""\
from alquerque_env import SelfPlayVectorEnv
batch = SelfPlayVectorEnv({GAME!r}, 64)
_, info = batch.reset(seed=0)
batch.step(info["action_mask"].argmax(axis=1))
"""
_COMPILE = """\
from alquerque_env.cli.main import main
main(["compile"], standalone_mode=False)
"""

# Bots play a forced step at once. To this step of the person there are two replies.
_FIRST_STEP = "d2-c3"
_TIME_LIMIT = 10.0
# The first bot compiles what is missing, and the second one knows nothing of the position from before.
_THINK = """\
import time
from alquerque_env import Match, load_bot, load_game
match = Match(load_game({game!r}))
match.push({step!r})
for _ in range(2):
    bot = load_bot({spec!r}, match.game, time_limit={limit}, tables=False)
    begin = time.perf_counter()
    bot.choose(match)
    spent = time.perf_counter() - begin
print(spent)
"""
_DONE = "done"
_TICK = 0.1

Tell = Callable[[str, int, int], None]
"""Is called with what is measured next, how much is done and how much there is."""


class Start(NamedTuple):
    """One measured start. Its times are the best of several.

    Attributes:
      name: What was measured.
      goal: The most that it should take: a multiple of the base, or seconds.
      goal_unit: `base` or `seconds`.
      thinking_seconds: Time in which a loaded and compiled bot chooses the same reply, which the other times leave out;
        None if it was not measured, and for what is no reply.
      empty_seconds: Seconds with an empty cache of kernels.
      empty_multiple: Divided by the best time of the base in as many runs, each right before one of these, so that
        other programs on the machine slow both; None if the goal is in seconds.
      warm_seconds: Seconds with a full cache of kernels; None if not measured.
      warm_multiple: Likewise as a multiple.
    """

    name: str
    goal: float
    goal_unit: str
    thinking_seconds: float | None
    empty_seconds: float
    empty_multiple: float | None
    warm_seconds: float | None
    warm_multiple: float | None

    @property
    def goal_text(self) -> str:
        """The goal with its unit."""
        return f"{self.goal:g} x" if self.goal_unit == "base" else f"{self.goal:g} s"


class StartTimes(NamedTuple):
    """What one run has measured.

    Attributes:
      base_seconds: Seconds of a process that imports NumPy, Gymnasium and PettingZoo: the best of all.
      compile_seconds: Seconds of `alquerque compile`; None if no kernel was needed.
      figures: The starts.
    """

    base_seconds: float
    compile_seconds: float | None
    figures: tuple[Start, ...]


class _Task(NamedTuple):
    """What is measured: `run` gets the folder of caches and returns seconds. `spec` is the bot that replies."""

    name: str
    goal: float
    run: Callable[[Path], float]
    spec: str | None = None


class _Times:
    """Seconds of a task, and of the base right before each."""

    def __init__(self) -> None:
        self.task: list[float] = []
        self.base: list[float] = []

    def best(self, thinking_seconds: float | None) -> float | None:
        """The best time, without the thinking time; None if there is none."""
        return max(0.0, min(self.task) - (thinking_seconds or 0.0)) if self.task else None

    @property
    def multiple(self) -> float | None:
        """The best time, divided by that of the base."""
        return min(self.task) / min(self.base) if self.task else None


def measure_start(kinds: Sequence[str], repeat: int, tell: Tell, *, is_warm: bool = True) -> StartTimes:
    """Measures starts with an empty and with a full cache of kernels.

    Every process with an empty cache has a new folder for it. The others share one, which `alquerque compile` and a run
    of each that does not count have filled. The processes take turns with each other and with the base, since
    processors change their speed.

    Args:
      kinds: Words of `KINDS`.
      repeat: How often everything is measured; the best time counts.
      tell: Is called before each process. An exception that it raises ends the work.
      is_warm: Whether to measure with a full cache too. Otherwise the times of bots include their thinking time.

    Raises:
      BenchmarkError: If a process fails, or takes longer than `LIMIT`.
    """
    tasks = [task for kind, task in _TASKS.items() if kind in kinds] + (_levels() if LEVELS in kinds else [])
    needs_kernels = JIT and any(kind != "import" for kind in kinds)
    empty = [_Times() for _ in tasks]
    warm = [_Times() for _ in tasks]
    thinking: list[list[float]] = [[] for _ in tasks]
    compile_seconds = None
    done, total = 0, len(tasks) * repeat * (1 + is_warm) + (1 + len(tasks)) * (is_warm and needs_kernels)

    def announce(name: str) -> None:
        nonlocal done
        tell(name, done, total)
        done += 1

    def run(task: _Task, folder: Path, times: _Times) -> None:
        announce(task.name)
        times.base.append(_time_program(BASE, folder))
        times.task.append(task.run(folder))

    for _ in range(repeat):
        for task, times in zip(tasks, empty, strict=True):
            with _caches() as folder:
                run(task, folder, times)
    if is_warm:
        with _caches() as folder:
            if needs_kernels:
                announce("alquerque compile")
                compile_seconds = _time_program(_COMPILE, folder)
                for task in tasks:
                    announce(f"filling the cache: {task.name}")
                    task.run(folder)
            for _ in range(repeat):
                for task, times, thoughts in zip(tasks, warm, thinking, strict=True):
                    run(task, folder, times)
                    if task.spec is not None:
                        thoughts.append(_thinking_time(task.spec, folder))
    figures = [_figure(*found) for found in zip(tasks, empty, warm, thinking, strict=True)]
    base = min(seconds for times in (*empty, *warm) for seconds in times.base)
    return StartTimes(base, compile_seconds, tuple(figures))


def _levels() -> list[_Task]:
    """The replies of all levels."""
    return [
        _Task(f"first reply of the level {level.name}", 1.0, partial(_time_reply, level.spec), level.spec)
        for level in levels(load_game(GAME))
    ]


def _figure(task: _Task, empty: _Times, warm: _Times, thinking: list[float]) -> Start:
    thought = min(thinking, default=None)
    empty_seconds, warm_seconds = empty.best(thought), warm.best(thought)
    assert empty_seconds is not None
    if task.spec is not None:
        return Start(task.name, task.goal, "seconds", thought, empty_seconds, None, warm_seconds, None)
    return Start(task.name, task.goal, "base", None, empty_seconds, empty.multiple, warm_seconds, warm.multiple)


@contextmanager
def _caches() -> Iterator[Path]:
    """A new, empty folder for the caches of processes, which only this user can read."""
    # On Windows a process that has just been killed can still hold files.
    with TemporaryDirectory(prefix="alquerque-start-", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "numba").mkdir(mode=0o700)
        yield Path(folder)


@contextmanager
def _started(arguments: Sequence[str], folder: Path) -> Iterator[Process]:
    """A Python process with its caches in a folder. In the end it is killed, with the processes that it has started."""
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(folder / "numba"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
        "ALQUERQUE_TABLES": str(folder / "tables"),
    }
    environment.pop("ALQUERQUE_JIT", None)  # programs choose themselves whether to wait for compiled kernels
    process = Process([sys.executable, *arguments], environment)
    try:
        yield process
    except ProcessError as error:
        command = shorten(one_line(" ".join(["python", *arguments])))
        raise BenchmarkError(f"{command!r} {error}: {process.last_error_output()}") from None
    finally:
        process.kill()
        _kill_users(folder)


def _kill_users(folder: Path) -> None:
    """Kills processes that have the folder in their environment: those in sessions of their own, left to compile.

    Only Linux shows the environment of other processes. Elsewhere they go on until they end by themselves.
    """
    end = time.monotonic() + KILL_TIMEOUT
    while (users := list(_users(folder))) and time.monotonic() < end:
        for user in users:
            with suppress(ProcessLookupError):
                os.kill(user, signal.SIGKILL)
        time.sleep(_TICK)


def _users(folder: Path) -> Iterator[int]:
    """Ids of the processes that have the folder in their environment."""
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if os.fsencode(folder) in file.read_bytes():
                yield int(file.parent.name)


def _read_until(process: Process, beginning: str) -> str:
    """Reads lines up to one with this beginning, and returns that one.

    Raises:
      BenchmarkError: If it does not come in time.
      ProcessError: If the process ends before.
    """
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        # On some systems Ctrl-C does not interrupt longer waits.
        line = process.read(_TICK)
        if line is not None and line.startswith(beginning):
            return line
    raise BenchmarkError(f"a process has not printed {beginning!r} within {LIMIT:.0f} seconds")


def _time_program(program: str, folder: Path) -> float:
    """Seconds until a program in Python has come to its end."""
    begin = time.perf_counter()
    with _started(["-c", f"{program}\nprint({_DONE!r}, flush=True)"], folder) as process:
        _read_until(process, _DONE)
        return time.perf_counter() - begin


def _time_prompt(folder: Path) -> float:
    """Seconds until the person is asked for the first step of a match."""
    begin = time.perf_counter()
    with _started(["-m", "alquerque_env", "play", GAME], folder) as process:
        # The prompt is part of a line, which ends when the answer to it is read: that waits in the pipe.
        process.send("quit")
        _read_until(process, "South>")
        return time.perf_counter() - begin


def _time_page(folder: Path) -> float:
    """Seconds until a browser has all that it needs to draw the page with its first match."""
    begin = time.perf_counter()
    with _served(folder) as page:
        page.fetch_all()
        return time.perf_counter() - begin


def _time_reply(spec: str, folder: Path) -> float:
    """Seconds from the page's request for the turn of a bot to the answer: the first one, right after a first step."""
    with _served(folder) as page:
        page.fetch_all()
        match = {**page.match, "steps": [_FIRST_STEP]}
        page.ask("api/match", match)
        begin = time.perf_counter()
        page.ask("api/turn", {"match": match, "bot": spec})
        return time.perf_counter() - begin


def _thinking_time(spec: str, folder: Path) -> float:
    """Seconds in which a loaded bot chooses that reply, with compiled kernels."""
    program = _THINK.format(game=GAME, step=_FIRST_STEP, spec=spec, limit=_TIME_LIMIT)
    with _started(["-c", program], folder) as process:
        return float(_read_until(process, ""))


@contextmanager
def _served(folder: Path) -> Iterator["_Page"]:
    """The page of `alquerque web` in a process of its own."""
    with _started(["-m", "alquerque_env", "web", "--no-browser", "--seconds", str(_TIME_LIMIT)], folder) as process:
        line = _read_until(process, "The page is at ")
        address = next(word for word in line.split() if word.startswith("http://"))
        with closing(_Page(address)) as page:
            yield page


class _Page:
    """Sends the requests of the page, one after another.

    Attributes:
      match: The first match that the page shows to somebody who has never seen it.
    """

    match: dict[str, Any] = {"game": GAME, "options": {}, "start": None, "steps": []}  # noqa: RUF012

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=LIMIT)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def fetch_all(self) -> None:
        """Fetches what the page shows first: its files, the list of games, and a match with its rules and board."""
        left = re.findall(r'(?:href|src)="(static/[^"]+)"', self._fetch("GET", ""))
        for file in left:  # grows by the modules that a module imports
            modules = re.findall(r'from "\./([^"]+)"', self._fetch("GET", file)) if file.endswith(".js") else ()
            left += [found for module in modules if (found := f"static/{module}") not in left]
        json.loads(self._fetch("GET", "api/games"))
        rules = {"game": self.match["game"], "options": self.match["options"]}
        self.ask("api/match", self.match)
        self.ask("api/rules", rules)
        self.ask("api/board", {**rules, "turned": False})

    def ask(self, path: str, body: Any) -> Any:
        """Sends JSON and returns that of the answer."""
        return json.loads(self._fetch("POST", path, json.dumps(body)))

    def _fetch(self, method: str, path: str, body: str | None = None) -> str:
        self._connection.request(method, f"/{path}", body, {} if body is None else {"content-type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise BenchmarkError(f"the server answered {answer.status} to {path or 'the page'}: {text}")
        return text


_TASKS: Mapping[str, _Task] = MappingProxyType(
    {
        "import": _Task("import alquerque_env", 1.3, partial(_time_program, _IMPORT)),
        "aec": _Task("first step of the AEC environment", 3.0, partial(_time_program, _AEC_STEP)),
        "play": _Task("alquerque play: first prompt", 5.0, _time_prompt),
        "page": _Task("alquerque web: page drawn", 9.0, _time_page),
        "readme": _Task("first example of the README", 9.0, partial(_time_program, README_EXAMPLE)),
        "batch": _Task("first step of SelfPlayVectorEnv, 64 games", 6.0, partial(_time_program, _BATCH_STEP)),
    }
)
LEVELS = "levels"
KINDS = (*_TASKS, LEVELS)
"""Words for what can be measured."""

WEB_KINDS = ("page", LEVELS)
"""Those that need the extra `web`."""
