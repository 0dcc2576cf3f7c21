"""Engines that do what a test says, and waiting for their ends."""

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from alquerque_env.bots.external.ugi_bot import Timeouts, UgiBot
from alquerque_env.game.game import Game
from tools.faults.hostile_engines import is_alive

PATIENT = Timeouts(handshake=120, loading=300, turn=300, margin=300)

FAKE = """
import os, subprocess, sys, time
turns = {turns!r}
with open({pid!r}, "w") as file:
    file.write(str(os.getpid()))
for line in sys.stdin:
    words = line.split()
    with open({log!r}, "a") as log:
        log.write(line)
    if words[0] == "ugi":
        {at_ugi}
        print("id name fake\\nugiok", flush=True)
    elif words[0] == "setoption":
        print("info string error: no such option", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "go":
        {at_go}
    elif words[0] == "stop":
        {at_stop}
    elif words[0] == "quit":
        break
"""
PLAY = "print('bestmove', turns.pop(0), flush=True)"


class Fake:
    """An engine written for a test: some lines of Python for some of the commands."""

    def __init__(self, folder: Path, at_go: str = PLAY, at_ugi: str = "pass", at_stop: str = "pass", turns=()) -> None:
        self.folder = folder
        self.log = folder / "log.txt"
        self.file = folder / "fake.py"
        words = {"at_go": at_go, "at_ugi": at_ugi, "at_stop": at_stop}
        files = {"log": str(self.log), "pid": str(folder / "pid.txt")}
        self.file.write_text(FAKE.format(turns=list(turns), **files, **words))

    def bot(self, game: Game, timeouts: Timeouts = PATIENT, time_limit: float | None = None) -> UgiBot:
        return UgiBot("fake", game, [sys.executable, str(self.file)], time_limit, timeouts)

    @property
    def spec(self) -> str:
        return f"ugi:{shlex.join([sys.executable, str(self.file)])}"

    @property
    def pid(self) -> int:
        """The process that was started last."""
        return int((self.folder / "pid.txt").read_text())

    @property
    def heard(self) -> list[str]:
        return self.log.read_text().splitlines()


def wait_for(happens: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def assert_ended(pid: int) -> None:
    wait_for(lambda: not is_alive(pid), 60)
