"""How long the package takes to start: new processes, by the clock, beside one that only imports what it needs.

Each is measured with an empty cache of compiled kernels, as after an installation, and with a full one. All times
include the start of Python, and end when the result is there. The base is a process that imports NumPy, Gymnasium and
PettingZoo, measured right before each. The best of several times counts. The page is drawn when a browser would have
all that it needs; the replies of levels are seconds from the page's request to the answer, without the time that a
compiled bot thinks. Tasks of the page need the extra `web`.

    python benchmarks/start.py
    python benchmarks/start.py import aec --repeat 1
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from alquerque_env import load_game
from alquerque_env.bots.levels import levels

GAME = "alquerque"
BASE = "import numpy, gymnasium, pettingzoo"
LIMIT = 1800.0
"""Seconds after which a process is given up."""

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
AEC_STEP = f"""\
from alquerque_env import env
match = env({GAME!r})
match.reset(seed=0)
match.step(int(match.last()[0]["action_mask"].argmax()))
"""
BATCH_STEP = f"""\
from alquerque_env import SelfPlayVectorEnv
batch = SelfPlayVectorEnv({GAME!r}, 64)
_, info = batch.reset(seed=0)
batch.step(info["action_mask"].argmax(axis=1))
"""
COMPILE = 'from alquerque_env.cli.main import main\nmain(["compile"], standalone_mode=False)'
# Bots play a forced step at once. To this step of the person there are two replies.
FIRST_STEP = "d2-c3"
TIME_LIMIT = 10.0
# The first bot compiles what is missing, and the second one knows nothing of the position from before.
THINK = """\
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


def readme_example() -> str:
    """The first example of the README as a program."""
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    return "".join(re.findall(r"^(?:>>>|\.\.\.) (.*\n)", code, re.MULTILINE))


@contextmanager
def started(arguments: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A Python process with its caches in a folder. In the end it is killed, with the processes that it has started."""
    places = {"NUMBA_CACHE_DIR": "numba", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "ALQUERQUE_TABLES": "t"}
    environment = os.environ | {name: str(folder / place) for name, place in places.items()}
    environment.pop("ALQUERQUE_JIT", None)  # programs choose themselves whether to wait for compiled kernels
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, *arguments], env=environment, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()
            kill_users(folder)


def kill_users(folder: Path) -> None:
    """Kills processes that have the folder in their environment: those in sessions of their own, left to compile.

    Only Linux shows the environment of other processes. Elsewhere they go on until they end by themselves.
    """
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if os.fsencode(folder) in file.read_bytes():
                os.kill(int(file.parent.name), signal.SIGKILL)


def read_until(process: subprocess.Popen[str], beginning: str) -> str:
    """Reads lines up to one with this beginning, and returns that one."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(beginning):
            return line
    raise SystemExit(f"{process.args} ended before it printed {beginning!r}")


def time_program(program: str, folder: Path) -> float:
    """Seconds until a program in Python has come to its end."""
    begin = time.perf_counter()
    with started(["-c", f"{program}\nprint('done', flush=True)"], folder) as process:
        read_until(process, "done")
        return time.perf_counter() - begin


def time_prompt(folder: Path) -> float:
    """Seconds until the person is asked for the first step of a match."""
    begin = time.perf_counter()
    with started(["-m", "alquerque_env", "play", GAME], folder) as process:
        # The prompt is part of a line, which ends when the answer to it is read: that waits in the pipe.
        assert process.stdin is not None
        print("quit", file=process.stdin, flush=True)
        read_until(process, "South>")
        return time.perf_counter() - begin


def time_page(folder: Path) -> float:
    """Seconds until a browser has all that it needs to draw the page with its first match."""
    begin = time.perf_counter()
    with served(folder) as page:
        page.fetch_all()
        return time.perf_counter() - begin


def time_reply(spec: str, folder: Path) -> float:
    """Seconds from the page's request for the turn of a bot to the answer: the first one, right after a first step."""
    with served(folder) as page:
        page.fetch_all()
        match = {**page.match, "steps": [FIRST_STEP]}
        page.ask("api/match", match)
        begin = time.perf_counter()
        page.ask("api/turn", {"match": match, "bot": spec})
        return time.perf_counter() - begin


def thinking_time(spec: str, folder: Path) -> float:
    """Seconds in which a loaded bot chooses that reply, with compiled kernels."""
    program = THINK.format(game=GAME, step=FIRST_STEP, spec=spec, limit=TIME_LIMIT)
    with started(["-c", program], folder) as process:
        return float(read_until(process, ""))


@contextmanager
def served(folder: Path) -> Iterator["Page"]:
    """The page of `alquerque web` in a process of its own."""
    with started(["-m", "alquerque_env", "web", "--no-browser", "--seconds", str(TIME_LIMIT)], folder) as process:
        line = read_until(process, "The page is at ")
        yield Page(next(word for word in line.split() if word.startswith("http://")))


class Page:
    """Sends the requests of the page, one after another.

    Attributes:
      match: The first match that the page shows to somebody who has never seen it.
    """

    match: Mapping[str, Any] = {"game": GAME, "options": {}, "start": None, "steps": []}

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=LIMIT)

    def fetch_all(self) -> None:
        """Fetches what the page shows first: its files, the list of games, and a match with its rules and board."""
        left = re.findall(r'(?:href|src)="(static/[^"]+)"', self._fetch("GET", ""))
        for file in left:  # grows by the modules that a module imports
            modules = re.findall(r'from "\./([^"]+)"', self._fetch("GET", file)) if file.endswith(".js") else ()
            left += [found for module in modules if (found := f"static/{module}") not in left]
        self.ask("api/games", {})
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
            raise SystemExit(f"the server answered {answer.status} to {path or 'the page'}: {text}")
        return text


TASKS: Mapping[str, tuple[str, Callable[[Path], float]]] = {
    "import": ("import alquerque_env", partial(time_program, "import alquerque_env")),
    "aec": ("first step of the AEC environment", partial(time_program, AEC_STEP)),
    "play": ("alquerque play: first prompt", time_prompt),
    "page": ("alquerque web: page drawn", time_page),
    "readme": ("first example of the README", partial(time_program, readme_example())),
    "batch": ("first step of SelfPlayVectorEnv, 64 games", partial(time_program, BATCH_STEP)),
}
LEVELS = "levels"


def measure(task: Callable[[Path], float], repeat: int, full: Path, spec: str | None) -> list[tuple[float, float]]:
    """The best times with an empty and a full cache, each with the best of the base beside it."""
    found = []
    thought = thinking_time(spec, full) if spec else 0.0
    for is_full in (False, True):
        times, bases = [], []
        for _ in range(repeat):
            with TemporaryDirectory(prefix="alquerque-start-", ignore_cleanup_errors=True) as empty:
                folder = full if is_full else Path(empty)
                bases.append(time_program(BASE, folder))
                times.append(task(folder))
        found.append((max(0.0, min(times) - thought), min(bases)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="*", choices=[*TASKS, LEVELS, []], help="what to measure; all by default")
    parser.add_argument("--repeat", type=int, default=3, help="times of each")
    chosen = parser.parse_args()
    tasks = {name: (*TASKS[name], None) for name in chosen.tasks or TASKS if name in TASKS}
    if LEVELS in (chosen.tasks or (LEVELS,)):
        for level in levels(load_game(GAME)):
            tasks[level.name] = (f"first reply of the level {level.name}", partial(time_reply, level.spec), level.spec)
    print(f"{'seconds, and multiples of the base':<48} {'empty cache':>20} {'full cache':>20}")
    with TemporaryDirectory(prefix="alquerque-start-", ignore_cleanup_errors=True) as full:
        if tasks.keys() - {"import"}:
            print(f"{'alquerque compile':<48} {'':>20} {time_program(COMPILE, Path(full)):>13.2f}", flush=True)
        for title, task, spec in tasks.values():
            cells = "".join(
                f" {spent:>11.2f} ({spent / base:4.1f} x)"
                for spent, base in measure(task, chosen.repeat, Path(full), spec)
            )
            print(f"{title:<48}{cells}", flush=True)


if __name__ == "__main__":
    main()
