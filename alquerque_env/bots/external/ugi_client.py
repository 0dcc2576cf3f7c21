"""A talk with an engine in UGI: the handshake, then one search after another, none waited for without end."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...errors import BotError, LateBotError
from ...game.game import Game
from ...game.options import spell
from .process import Process, ProcessError
from .ugi_protocol import Go, Info, clip, parse_info

MOST_LINES = 20_000
"""Lines that an engine may write before it answers."""

_TICK = 0.05


@dataclass(frozen=True)
class Patience:
    """For how many seconds an engine is waited for.

    Attributes:
      handshake: For `ugiok`, from when it is started.
      loading: For `readyok`, while it may load and compile things.
      turn: For a turn, where nobody says how long it may take; it is told so, since many think without end otherwise.
      work: For a turn that is limited by depth or nodes.
      margin: For a turn beyond the time that it was told, or since it was told to stop.
    """

    handshake: float = 10.0
    loading: float = 120.0
    turn: float = 5.0
    work: float = 60.0
    margin: float = 5.0


class Dialogue:
    """An engine that has been started and is ready for a game.

    Any fault of the engine ends it.

    Args:
      command: The program and its arguments.
      game: The engine is told its name as the option `Game`, then its rules by their names. It may ignore them.
      patience: For how long to wait for it.

    Raises:
      ProcessError: If the engine cannot be started, or does not answer.
    """

    def __init__(self, command: Sequence[str], game: Game, patience: Patience) -> None:
        self._patience = patience
        self._complaint = ""
        self._process = Process(command)
        self._process.send("ugi")
        self._await("ugiok", patience.handshake)
        self._process.send(f"setoption name Game value {game.name}")
        for option, value in game.options.items():
            self._process.send(f"setoption name {option} value {spell(value)}")
        self._await_ready()

    @property
    def pid(self) -> int:
        """The number of the engine's process."""
        return self._process.pid

    def new_match(self) -> None:
        """Says that what comes is not of the match before."""
        self._process.send("uginewgame")

    def search(
        self,
        position: str,
        go: Go,
        *,
        stop: threading.Event | None = None,
        listen: Callable[[Info], None] | None = None,
    ) -> tuple[str, Info]:
        """Lets the engine choose a turn.

        Args:
          position: The command that sets up the position.
          go: What it may spend. Where this is neither time nor work, it is told `patience.turn`, or, if it can be
            stopped, to think until it is.
          stop: Is handed on to the engine when it is set.
          listen: Is told what the engine thinks, wherever it says what the position is worth.

        Returns:
          The text of the turn, and what the engine thinks at the end.

        Raises:
          ProcessError: If it does not answer in time, ends, or writes without end.
        """
        self._process.send(position)
        self._await_ready()
        self._complaint = ""
        if go == Go():
            go = Go(movetime=round(1000 * self._patience.turn)) if stop is None else Go(infinite=True)
        self._process.send(str(go))
        if go.movetime is not None:
            seconds = go.movetime / 1000 + self._patience.margin
        else:
            seconds = self._patience.work if stop is None else math.inf
        wait = _Wait(self._process, seconds, stop, self._patience.margin)
        best = Info()
        while True:
            line = self._next_line(wait, "bestmove")
            word, _, rest = line.partition(" ")
            if word == "bestmove":
                return (rest.split() or [""])[0], best
            info = parse_info(line)
            if info.score is not None or info.mate is not None:
                best = info
                if listen is not None:
                    listen(info)
            elif info.nodes is not None:
                best = replace(best, nodes=info.nodes)

    def fail(self, what: str, fault: type[BotError] = BotError) -> ProcessError:
        """Ends the engine; the error says what it did, with what it complained about."""
        told = [what]
        if self._complaint:
            told.append(f"it said {self._complaint}")
        if words := self._process.last_words():
            told.append(f"last on its error output: {words}")
        self._process.kill()
        return ProcessError("; ".join(told), fault)

    def close(self) -> None:
        """Tells the engine to quit, and ends it."""
        self._process.close()

    def kill(self) -> None:
        """Ends the engine at once."""
        self._process.kill()

    def _await_ready(self) -> None:
        self._process.send("isready")
        self._await("readyok", self._patience.loading)

    def _await(self, word: str, seconds: float) -> None:
        wait = _Wait(self._process, seconds)
        while self._next_line(wait, word) != word:
            pass

    def _next_line(self, wait: "_Wait", word: str) -> str:
        """The next line on the way to a word."""
        try:
            line = wait.next_line()
        except ProcessError as error:
            raise self.fail(f"{error}, without {word!r}", error.fault) from None
        except BaseException:
            # It may go on thinking: nobody must get that answer as one to another question.
            self._process.kill()
            raise
        if line.startswith("info string error"):
            self._complaint = clip(line.removeprefix("info string error").lstrip(": "), 200)
        return line


class _Wait:
    """Waits for lines of an engine, as long as is left for them."""

    def __init__(
        self, process: Process, seconds: float, stop: threading.Event | None = None, margin: float = 0.0
    ) -> None:
        self._process = process
        self._stop = stop
        self._margin = margin
        self._lines = 0
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def next_line(self) -> str:
        """The next line.

        Raises:
          ProcessError: If none comes in time, if the engine ends, or if it writes without end.
        """
        line = None
        while line is None:
            now = time.monotonic()
            if self._stop is not None and self._stop.is_set():
                self._stop = None
                self._process.send("stop")
                self._seconds, self._end = self._margin, min(self._end, now + self._margin)
            if now >= self._end:
                raise ProcessError(f"has not answered within {self._seconds:g} seconds", LateBotError)
            left = self._end - now
            line = self._process.read(left if self._stop is None else min(left, _TICK))
        self._lines += 1
        if self._lines > MOST_LINES:
            raise ProcessError(f"wrote more than {MOST_LINES} lines")
        return line
