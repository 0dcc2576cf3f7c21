"""A talk with an engine in UGI: the handshake, then one search after another, none waited for without end."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import BotError, LateBotError
from ...game.game import Game
from ...game.options import spell
from .process import Process, ProcessError
from .ugi_protocol import Go, Info, clip, parse_info

MOST_LINES = 20_000  # lines that an engine may write before its answer

_TICK = 0.05


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait for an engine."""

    handshake: float = 10.0  # for `ugiok` after the start
    loading: float = 120.0  # for `readyok`, while the engine may load and compile
    # For a turn without a limit. It is sent as `movetime`, because many engines would otherwise never answer.
    turn: float = 5.0
    work: float = 60.0  # for a turn that is limited by depth or nodes
    margin: float = 5.0  # for `bestmove` after the time that was sent, or after `stop`


class UgiClient(Process):
    """The client of a UGI engine that has been started and is ready for a game. Any fault of the engine kills it.

    The engine is sent the game as the option `Game`, one from a file as `GameFile` with its id and text, and every rule
    option by its name. It may ignore them. Raises `ProcessError` if it cannot be started, or does not answer.
    """

    def __init__(self, command: Sequence[str], game: Game, timeouts: Timeouts) -> None:
        super().__init__(command)
        self._timeouts = timeouts
        self._complaint = ""
        self.send("ugi")
        self._await("ugiok", timeouts.handshake)
        if game.file_text:
            self.send(f"setoption name GameFile value {game.name} {game.file_text}")
        else:
            self.send(f"setoption name Game value {game.name}")
        for option, value in game.options.items():
            self.send(f"setoption name {option} value {spell(value)}")
        self._await_ready()

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
        self.send(position)
        self._await_ready()
        self._complaint = ""
        if go == Go():
            go = Go(movetime=round(1000 * self._timeouts.turn)) if stop is None else Go(infinite=True)
        self.send(str(go))
        if go.movetime is not None:
            seconds = go.movetime / 1000 + self._timeouts.margin
        else:
            seconds = self._timeouts.work if stop is None else math.inf
        best = Info()
        for line in self._answers("bestmove", seconds, stop):
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
        raise AssertionError  # the lines end with an error

    def fail(self, what: str, fault: type[BotError] = BotError) -> ProcessError:
        """Kills the engine; returns an error with what it did and its last error messages."""
        told = [what]
        if self._complaint:
            told.append(f"it said {self._complaint}")
        if words := self.last_error_output():
            told.append(f"last on its error output: {words}")
        self.kill()
        return ProcessError("; ".join(told), fault)

    def _await_ready(self) -> None:
        self.send("isready")
        self._await("readyok", self._timeouts.loading)

    def _await(self, word: str, seconds: float) -> None:
        next(line for line in self._answers(word, seconds) if line == word)

    def _answers(self, word: str, seconds: float, stop: threading.Event | None = None) -> Iterator[str]:
        """Yields the engine's lines for so many seconds, then raises `ProcessError` that `word` is missing.

        When the event is set, it sends `stop`, and at most `Timeouts.margin` is left.
        """
        end = time.monotonic() + seconds
        for _ in range(MOST_LINES):
            line = None
            while line is None:
                now = time.monotonic()
                if stop is not None and stop.is_set():
                    stop = None
                    self.send("stop")
                    seconds, end = self._timeouts.margin, min(end, now + self._timeouts.margin)
                if now >= end:
                    raise self.fail(f"has not answered within {seconds:g} seconds, without {word!r}", LateBotError)
                try:
                    line = self.read(end - now if stop is None else min(end - now, _TICK))
                except ProcessError as error:
                    raise self.fail(f"{error}, without {word!r}", error.fault) from None
                except BaseException:
                    # Its late answer must not be read as the answer to the next command.
                    self.kill()
                    raise
            if line.startswith("info string error"):
                self._complaint = clip(line.removeprefix("info string error").lstrip(": "), 200)
            yield line
        raise self.fail(f"wrote more than {MOST_LINES} lines, without {word!r}")
