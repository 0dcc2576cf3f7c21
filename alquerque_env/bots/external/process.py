"""A program that is talked to line by line, and never waited for longer than is said."""

import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from ...errors import BotError, EndedBotError

LONGEST_LINE = 1 << 16
"""Bytes; what is longer counts as several lines."""

LINES_AHEAD = 1_000
"""Lines that are read before anybody asks for them. A program that writes more has to wait."""

LAST_WORDS = 3
"""Lines of the error output that are kept."""

GOODBYE = 0.5
"""Seconds that a program has to end by itself once it is told to."""

REAPING = 10.0
"""Seconds until a program that has been killed is gone, on a machine with much to do."""

_TICK = 0.1


class ProcessError(Exception):
    """What a program did wrong.

    Args:
      what: The rest of a sentence that begins with its name.
      fault: What kind of error that is for the bot that plays by it.
    """

    def __init__(self, what: str, fault: type[BotError] = BotError) -> None:
        super().__init__(what)
        self.fault = fault


class Process:
    """A program in a process of its own, which ends with all that it has started when this object does.

    Threads read and write, so that neither a full nor an empty pipe can hold up anybody here.

    Args:
      command: The program and its arguments; it is run without a shell.

    Raises:
      ProcessError: If it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._program = _start(command)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProcessError(f"cannot be started: {command[0]}: {reason}") from None
        self._lines: queue.Queue[bytes | None] = queue.Queue(LINES_AHEAD)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._last_words: deque[bytes] = deque(maxlen=LAST_WORDS)
        closing = threading.Event()
        for task, *arguments in (
            (_read, self._program.stdout, self._lines, closing),
            (_keep_last, self._program.stderr, self._last_words),
            (_write, self._program.stdin, self._outgoing),
        ):
            threading.Thread(target=task, args=arguments, daemon=True).start()
        # The threads must not know this object, or it would never end.
        self._end = weakref.finalize(self, _end, self._program, self._outgoing, closing, GOODBYE)
        self._kill = (self._program, self._outgoing, closing, 0.0)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._program.pid

    def send(self, line: str) -> None:
        """Writes a line, if the program still listens."""
        self._outgoing.put(f"{line}\n".encode())

    def read(self, seconds: float) -> str | None:
        """The next line, None if there is none within some seconds.

        Raises:
          ProcessError: If the program has closed its output, as when it ends.
        """
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None
        if line is None:
            raise ProcessError(self._how_it_ended(), EndedBotError)
        return line.decode(errors="replace").strip()

    def last_words(self) -> str:
        """What it wrote on its error output last, as one line."""
        lines = (line.decode(errors="replace").split() for line in list(self._last_words))
        return " / ".join(" ".join(words) for words in lines if words)

    def close(self) -> None:
        """Tells it to quit and ends it where it does not."""
        self._end()

    def kill(self) -> None:
        """Ends it at once, with all that it has started."""
        if self._end.detach():
            _end(*self._kill)

    def _how_it_ended(self) -> str:
        try:
            status = self._program.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            return "closed its output"
        # What it said at the end may still be on its way.
        time.sleep(_TICK)
        return f"ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # In a group of its own it can be ended with its children, and Ctrl-C is not for it.
        start_new_session=os.name != "nt",
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _read(stream: IO[bytes], lines: "queue.Queue[bytes | None]", closing: threading.Event) -> None:
    line: bytes | None = b""
    with stream:
        while line is not None and not closing.is_set():
            line = stream.readline(LONGEST_LINE) or None
            while not closing.is_set():
                with suppress(queue.Full):
                    lines.put(line, timeout=_TICK)
                    break


def _keep_last(stream: IO[bytes], lines: "deque[bytes]") -> None:
    with stream:
        while line := stream.readline(LONGEST_LINE):
            if line.strip():
                lines.append(line[:500])


def _write(stream: IO[bytes], outgoing: "queue.SimpleQueue[bytes | None]") -> None:
    with suppress(OSError), stream:
        while (line := outgoing.get()) is not None:
            stream.write(line)
            stream.flush()


def _end(
    program: subprocess.Popen[bytes],
    outgoing: "queue.SimpleQueue[bytes | None]",
    closing: threading.Event,
    patience: float,
) -> None:
    """Ends a program, by force after some seconds, and what it has started."""
    closing.set()
    if patience:
        outgoing.put(b"quit\n")
    outgoing.put(None)
    with suppress(subprocess.TimeoutExpired):
        program.wait(patience)
    _kill_group(program)
    with suppress(subprocess.TimeoutExpired):
        program.wait(REAPING)


def _kill_group(program: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        command = ["taskkill", "/F", "/T", "/PID", str(program.pid)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
