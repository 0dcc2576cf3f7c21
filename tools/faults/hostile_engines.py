"""Hostile programs as bots: engines and exported players that do harm at random moments of a match.

The match ends, the message says in one line what was wrong, no process and no thread is left, and little memory is
taken. A process that has left the session of the program, and so cannot be found, is not ended: this file ends it.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from alquerque_env import Match, load_game
from alquerque_env.arena.match_runner import FAULT, End, play_matches
from alquerque_env.bots import Bot
from alquerque_env.bots.external.exported import ExportedBot
from alquerque_env.bots.external.ugi_bot import Timeouts, UgiBot
from alquerque_env.errors import BotError
from alquerque_env.game.game import Game
from alquerque_env.game.step import Step, join_turn
from tools.faults import hostile_program
from tools.faults.case import Case

GAMES = tuple(load_game(name) for name in ("alquerque", "fetaix", "alquerque_murray"))
QUICK = Timeouts(handshake=2, loading=2, turn=0.3, margin=0.3)
PLAYER_TIMEOUT = 1.5
MOST_SECONDS = 10
MOST_BYTES = 1 << 24
ENDING = 5
"""Seconds in which killed processes and the threads that read from them are gone."""

ESCAPES = ("child escapes", "child escapes and exit")


class FirstStep:
    """Plays the first legal step, so that a match can be known beforehand."""

    name = "first"

    def choose(self, match: Match) -> Step:
        return match.legal_steps[0]


def is_alive(pid: int) -> bool:
    """Whether there is such a process, other than one that has ended and that nobody has asked how."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def hostile_engine(chance: random.Random, folder: Path) -> Iterator[Case]:
    """Engines that do harm when they start, and at some of the commands."""
    at = ("ugi 1", "setoption 1", "isready 1", "isready 2", "uginewgame 1", "position 1", "quit 1")
    while True:
        moments = [chance.choice((*at, *(f"go {chance.randrange(1, 8)}" for _ in at))) for _ in range(2)]
        harm = {moment: [chance.choice(list(hostile_program.HARM))] for moment in moments}
        plan = {"at": harm, "start": _some(chance, 0.2), "stays": chance.random() < 0.3}

        def make(file: Path, game: Game) -> Bot:
            return UgiBot("hostile", game, [sys.executable, "-IS", str(file)], None, QUICK)

        yield _play(chance, folder, plan, make, most_steps=60)


def hostile_player(chance: random.Random, folder: Path) -> Iterator[Case]:
    """Exported players that do harm before they answer. Each turn starts one."""
    while True:
        plan = {"at": {}, "start": _some(chance, 0.8), "stays": False}

        def make(file: Path, game: Game) -> Bot:
            return ExportedBot("hostile", game, file, None, PLAYER_TIMEOUT)

        yield _play(chance, folder, plan, make, most_steps=8)


def _some(chance: random.Random, often: float) -> list[str]:
    return chance.sample(list(hostile_program.HARM), chance.choice((1, 1, 2))) if chance.random() < often else []


def _play(chance: random.Random, folder: Path, plan: dict, make: Callable[[Path, Game], Bot], most_steps: int) -> Case:
    game, seat = chance.choice(GAMES), chance.randrange(2)
    pids = folder / "pids.txt"
    pids.unlink(missing_ok=True)
    plan = {**plan, "pids": str(pids), "seed": chance.random(), "turns": _choose_turns(chance, Match(game), seat)}
    file = folder / "program.py"
    text = Path(hostile_program.__file__).read_text(encoding="utf-8")
    file.write_text(text.replace("PLAN: dict = {}", f"PLAN: dict = {plan!r}"), encoding="utf-8")
    threads = threading.active_count()
    tracemalloc.start()
    began = time.monotonic()
    told = f"{plan['start']} {plan['at']}"
    try:
        end = _match(Match(game), seat, lambda: make(file, game), most_steps)
        seconds, peak = time.monotonic() - began, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    started = [int(pid) for pid in pids.read_text().split()] if pids.exists() else []
    names = [name for names in (plan["start"], *plan["at"].values()) for name in names]
    if any(name in ESCAPES for name in names):
        for pid in started[1:]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert end.fault is None or (end.fault.isprintable() and len(end.fault) <= 2000), f"{end} {told}"
    assert (end.reason == FAULT) == (end.fault is not None), f"{end} {told}"
    assert seconds <= MOST_SECONDS, f"{seconds:.1f} s, {end}, {told}"
    assert peak <= MOST_BYTES, f"{peak:,} bytes, {end}, {told}"
    until = time.monotonic() + ENDING
    while any(map(is_alive, started)) or threading.active_count() > threads:
        assert time.monotonic() < until, f"a process or a thread is left: {end}, {told}"
        time.sleep(0.02)
    return Case({"programs": 1, "faults told": end.fault is not None}, seconds)


def _match(match: Match, seat: int, make: Callable[[], Bot], most_steps: int) -> End:
    """Plays a match; a bot that cannot be made has lost it."""
    try:
        bot = make()
    except BotError as error:
        return End(1 - seat, FAULT, str(error))
    seats = (bot, FirstStep()) if seat == 0 else (FirstStep(), bot)
    ((_, end),) = play_matches([match], [seats], most_steps)
    if isinstance(bot, UgiBot):
        bot.close()
    return end


def _choose_turns(chance: random.Random, match: Match, seat: int) -> dict[int | str, str]:
    """Turns that the program plays: by the number of turns before, and by position."""
    begins: dict[int, str] = {}
    while not match.is_over and len(match.steps) < 80:
        if match.chain is None:
            begins.setdefault(len(match.history), match.position)
        match.push(chance.choice(match.legal_steps) if match.player == seat else match.legal_steps[0])
    found: dict[int | str, str] = {}
    for number, (player, steps) in enumerate(match.history):
        if player == seat:
            found[number] = found[begins[number]] = join_turn([step.text for step in steps])
    return found
