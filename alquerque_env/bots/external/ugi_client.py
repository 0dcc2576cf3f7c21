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
"""Lines that an engine may write before its answer."""

_TICK = 0.05


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait for an engine.

    Attributes:
      handshake: For `ugiok` after the start.
      loading: For `readyok`, while the engine may load and compile.
      turn: For a turn without a limit. It is sent as `movetime`, because many engines would otherwise never answer.
      work: For a turn that is limited by depth or nodes.
      margin: For `bestmove` after the time that was sent, or after `stop`.
    """

    handshake: float = 10.0
    loading: float = 120.0
    turn: float = 5.0
    work: float = 60.0
    margin: float = 5.0


class UgiClient:
    """The client of a UGI engine that has been started and is ready for a game.

    Any fault of the engine kills it.

    Args:
      command: The program and its arguments.
      game: Is sent as the option `Game`, and every rule option by its name. The engine may ignore them.
      timeouts: Seconds to wait for the engine.

    Raises:
      ProcessError: If the engine cannot be started, or does not answer.
    """

    def __init__(self, command: Sequence[str], game: Game, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._complaint = ""
        self._process = Process(command)
        self._process.send("ugi")
        self._await("ugiok", timeouts.handshake)
        self._process.send(f"setoption name Game value {game.name}")
        for option, value in game.options.items():
            self._process.send(f"setoption name {option} value {spell(value)}")
        self._await_ready()

    @property
    def pid(self) -> int:
        """The engine's process id."""
        return self._process.pid

    def new_match(self) -> None:
        """Tells the engine that a new match begins."""
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
          go: The limits. Without any, the engine searches for `Timeouts.turn` seconds, or, with `stop`, until it is
            set.
          stop: Stops the engine when it is set.
          listen: Is called with every `info` that has a score.

        Returns:
          The text of the turn, and the last `info` with a score.

        Raises:
          ProcessError: If the engine does not answer in time, ends, or writes too many lines.
        """
        self._process.send(position)
        self._await_ready()
        self._complaint = ""
        if go == Go():
            go = Go(movetime=round(1000 * self._timeouts.turn)) if stop is None else Go(infinite=True)
        self._process.send(str(go))
        if go.movetime is not None:
            seconds = go.movetime / 1000 + self._timeouts.margin
        else:
            seconds = self._timeouts.work if stop is None else math.inf
        wait = _Wait(self._process, seconds, stop, self._timeouts.margin)
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
        """Kills the engine; returns an error with what it did and its last error messages."""
        told = [what]
        if self._complaint:
            told.append(f"it said {self._complaint}")
        if words := self._process.last_error_output():
            told.append(f"last on its error output: {words}")
        self._process.kill()
        return ProcessError("; ".join(told), fault)

    def close(self) -> None:
        """Sends `quit`, and kills the engine if it does not end."""
        self._process.close()

    def kill(self) -> None:
        """Kills the engine."""
        self._process.kill()

    def _await_ready(self) -> None:
        self._process.send("isready")
        self._await("readyok", self._timeouts.loading)

    def _await(self, word: str, seconds: float) -> None:
        wait = _Wait(self._process, seconds)
        while self._next_line(wait, word) != word:
            pass

    def _next_line(self, wait: "_Wait", word: str) -> str:
        """Returns the next line; `word` is the answer that the error names."""
        try:
            line = wait.next_line()
        except ProcessError as error:
            raise self.fail(f"{error}, without {word!r}", error.fault) from None
        except BaseException:
            # Its late answer must not be read as the answer to the next command.
            self._process.kill()
            raise
        if line.startswith("info string error"):
            self._complaint = clip(line.removeprefix("info string error").lstrip(": "), 200)
        return line


class _Wait:
    """Waits for lines of an engine until a deadline; sends `stop` when the event is set."""

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
        """Returns the next line.

        Raises:
          ProcessError: If no line comes in time, or the engine ends or writes too many lines.
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
