"""Tables that the page builds: in a process of their own, one at a time. It can be stopped and goes on where it was."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from ..engine.compiled_parts import BOTS
from ..engine.forms import load_kernels
from ..errors import AlquerqueError, TableError
from ..game.game import Game
from ..match.match import Match

GIBIBYTE = 1 << 30
MOST_SECONDS = 2 * 60 * 60
"""Processor time that a table offered by the page takes, at most."""
SHARE_OF_MEMORY = 0.5
"""Of the memory that is free, how much a build may use."""
_REPORT_SECONDS = 0.2
_GRACE_SECONDS = 3.0
_NICENESS = 10  # bots go first


class Offer(NamedTuple):
    """A table that would help in a position.

    Attributes:
      pieces: The most pieces of the table; 0 if none can be built.
      needed: The pieces of the position: the table has it if it has as many.
      memory: Bytes that building takes.
      seconds: About how long one core takes.
      is_begun: Whether an earlier build of it was stopped and goes on.
      refusal: Why there is none, or none that has this position; empty otherwise.
    """

    pieces: int
    needed: int
    memory: int
    seconds: float
    is_begun: bool
    refusal: str


class State(NamedTuple):
    """What a build is doing.

    Attributes:
      game: The title of the game; empty before the first build.
      table_hash: Of the game.
      pieces: The most pieces of the table.
      share: How much is done, from 0 to 1.
      stage: What is done now.
      is_running: Whether it goes on.
      problem: Why it ended without a table; empty otherwise.
    """

    game: str = ""
    table_hash: str = ""
    pieces: int = 0
    share: float = 0.0
    stage: str = ""
    is_running: bool = False
    problem: str = ""


class TableBuilds:
    """Builds tables for the page; `memory` is the most that a build may use, in bytes, None for a share of the free."""

    def __init__(self, memory: int | None = None) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._state = State()
        self._process: Any = None

    @property
    def state(self) -> State:
        """What the latest build is doing."""
        return self._state

    def offer(self, match: Match) -> Offer:
        """The table for a position, or the largest smaller one where that is too large for this machine."""
        game, picture = match.game, match.picture()
        needed = len(picture.pieces) + sum(picture.hands)
        if sum(picture.hands):
            return Offer(0, needed, 0, 0, False, "Tables have no positions with pieces in hand.")
        tables = load_kernels("solve.tables", BOTS, game)
        present = tables.present_table(game, shipped=True)
        has = 0 if present is None else present.pieces
        largest, refusal = self._largest(game, needed)
        if largest is None or largest.pieces <= has:
            return Offer(0, needed, 0, 0, False, refusal)
        work = Path(f"{load_kernels('solve.tables.table_file', BOTS, game).table_path(game, largest.pieces)}.work")
        return largest._replace(is_begun=work.exists(), refusal=refusal)

    def _largest(self, game: Game, needed: int) -> tuple[Offer | None, str]:
        """The largest table with at most `needed` pieces, and why it has fewer; None if there is none at all."""
        least = load_kernels("solve.tables.index", BOTS, game).least_pieces(game)
        limit = self._limit()
        found = None
        for pieces in range(least, needed + 1):
            try:
                memory, seconds = _needs(game, pieces)
            except AlquerqueError as error:
                return found, f"No table has this position: {error}."
            if memory > limit or seconds > MOST_SECONDS:
                return found, (
                    f"A table of {needed} pieces is too large for this machine: one of {pieces} takes "
                    f"{_size(memory)} of memory and about {_duration(seconds)}."
                )
            found = Offer(pieces, needed, memory, seconds, False, "")
        return found, ""

    def _limit(self) -> float:
        return self._memory if self._memory is not None else SHARE_OF_MEMORY * free_memory()

    def start(self, game: Game, pieces: int) -> State:
        """Begins a build, or goes on with one that was stopped.

        Raises:
          TableError: If another one runs, or this one is too large for this machine.
        """
        with self._lock:
            if self._state.is_running:
                other = f"{self._state.game} with {self._state.pieces} pieces"
                raise TableError(f"a table is being built already, of {other}: stop it first")
            largest, refusal = self._largest(game, pieces)
            if largest is None or largest.pieces < pieces:
                raise TableError(refusal or f"{game.title} has no table of {pieces} pieces")
            spawn = multiprocessing.get_context("spawn")
            here, there = spawn.Pipe(duplex=False)
            memory = self._limit() / GIBIBYTE
            self._process = spawn.Process(target=_build, args=(game, pieces, memory, there), daemon=True)
            self._state = State(game.title, game.table_hash, pieces, stage="begins", is_running=True)
            self._process.start()
            there.close()
            threading.Thread(target=self._listen, args=(self._process, here), daemon=True).start()
            return self._state

    def stop(self) -> State:
        """Stops the build. Its work is kept, and the next build of the table goes on with it."""
        with self._lock:
            process = self._process
            if self._state.is_running and process is not None:
                self._state = self._state._replace(is_running=False, stage="stopped")
                process.terminate()
                process.join(_GRACE_SECONDS)
                if process.is_alive():
                    process.kill()
            return self._state

    def _listen(self, process: Any, here: Connection) -> None:
        """Takes what the process reports until it ends."""
        problem = "The build ended before its time."
        with suppress(EOFError, OSError):
            while True:
                kind, value = here.recv()
                if kind == "end":
                    problem = value
                elif self._process is process and self._state.is_running:
                    share, stage = value
                    self._state = self._state._replace(share=share, stage=stage)
        process.join()
        if self._process is process and self._state.is_running:
            self._state = self._state._replace(is_running=False, problem=problem)
            if not problem:
                self._state = self._state._replace(share=1.0, stage="ready")


def _build(game: Game, pieces: int, memory: float, report: Connection) -> None:
    """Builds a table in this process and reports what it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    reported = 0.0

    def watch(found: Any) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORT_SECONDS:
            reported = time.monotonic()
            report.send(("progress", (found.done / max(found.total, 1), f"{found.name}: {found.stage}")))

    problem = ""
    try:
        build_table = load_kernels("solve.tables.build", BOTS, game).build_table
        build_table(game, pieces, memory=memory, threads=1, watch=watch)
    except AlquerqueError as error:
        problem = str(error)
    report.send(("end", problem))


def _leave(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def free_memory() -> int:
    """Bytes of memory that programs can still have; all of it where the system does not say how much is free."""
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) * 1024
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 2 * GIBIBYTE


def _size(count: float) -> str:
    """A number of bytes in words."""
    megabytes = max(1, round(count / 1e6))
    return f"{megabytes:,} MB" if megabytes < 1000 else f"{megabytes / 1000:,.1f} GB"


def _duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} minutes" if minutes < 120 else f"{round(minutes / 60):,} hours"


def _needs(game: Game, pieces: int) -> tuple[int, float]:
    """The bytes of memory and the seconds that a table takes."""
    index = load_kernels("solve.tables.build", BOTS, game).plan(game, pieces, float("inf"))
    memory = load_kernels("solve.tables.slices", BOTS, game).memory_needed(index)
    return memory, load_kernels("solve.tables.whole", BOTS, game).seconds_needed(index, False)


def show_offer(offer: Offer) -> dict[str, Any]:
    """An offer for the page, with its sentence."""
    covers = offer.pieces == offer.needed
    what = f"Build the table of {offer.pieces} pieces" if offer.pieces else ""
    what_takes = f"That of {offer.pieces} takes about" if offer.refusal else "About"
    needs = f"{_duration(offer.seconds)} on one core, {_size(offer.memory)} of memory."
    cost = f"{what_takes} {needs}" if offer.pieces else ""
    later = "" if covers or not offer.pieces else f"It is used once no more than {offer.pieces} pieces are left."
    begun = "It goes on where it was stopped." if offer.is_begun else ""
    about = " ".join(filter(None, (offer.refusal, cost, later, begun)))
    return {"pieces": offer.pieces, "label": what, "about": about}
