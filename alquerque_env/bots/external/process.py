"""A child process that exchanges lines of text; no call waits longer than its timeout."""

import codecs
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

from ...errors import BotError, EndedBotError, one_line

LONGEST_LINE = 1 << 13  # bytes; a longer line counts as several lines

LINES_AHEAD = 1_000  # Lines in the buffer, at most 8 MB. A program that writes more is blocked until they are read.

ERROR_LINES = 3  # last lines of the error output that are kept

QUIT_TIMEOUT = 0.5  # seconds that a program has to end after `quit`

KILL_TIMEOUT = 10.0  # seconds to wait for a killed program on a busy machine

_TICK = 0.1


class ProcessError(Exception):
    """A failure of a child process, raised by the bot as `fault`; `what` ends a sentence that its name begins."""

    def __init__(self, what: str, fault: type[BotError] = BotError) -> None:
        super().__init__(what)
        self.fault = fault


class Process:
    """A child process, started without a shell. It and its own children end when this object is deleted.

    Threads read and write, so that no full or empty pipe blocks the caller. Raises `ProcessError` if it cannot be
    started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._program = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A session of its own can be killed with its children and does not receive Ctrl-C.
                start_new_session=os.name != "nt",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProcessError(f"cannot be started: {command[0]}: {reason}") from None
        self._lines: queue.Queue[bytes | None] = queue.Queue(LINES_AHEAD)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._error_lines: deque[bytes] = deque(maxlen=ERROR_LINES)
        closing = threading.Event()
        for task, *arguments in (
            (_read, self._program.stdout, self._lines, closing),
            (_keep_last, self._program.stderr, self._error_lines),
            (_write, self._program.stdin, self._outgoing),
        ):
            threading.Thread(target=task, args=arguments, daemon=True).start()
        # The threads hold no reference to this object, or it would never be deleted.
        self._end = weakref.finalize(self, _end, self._program, self._outgoing, closing, QUIT_TIMEOUT)
        self._kill = (self._program, self._outgoing, closing, 0.0)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._program.pid

    def send(self, line: str) -> None:
        """Writes a line; has no effect once the program has ended."""
        self._outgoing.put(f"{line}\n".encode())

    def read(self, seconds: float) -> str | None:
        """Returns the next line; None if there is none in so many seconds. `ProcessError` at the end of the output."""
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except queue.Empty:
            return None
        if line is None:
            raise ProcessError(self._how_it_ended(), EndedBotError)
        return _decode(line)

    def last_error_output(self) -> str:
        """Returns the last lines of the error output, joined into one."""
        return " / ".join(filter(None, map(_decode, list(self._error_lines))))

    def close(self) -> None:
        """Sends `quit`, and kills the program if it does not end."""
        self._end()

    def kill(self) -> None:
        """Kills the program and its children."""
        if self._end.detach():
            _end(*self._kill)

    def _how_it_ended(self) -> str:
        try:
            status = self._program.wait(QUIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            return "closed its output"
        # The last error output may still be in the pipe.
        time.sleep(_TICK)
        return f"ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _decode(line: bytes) -> str:
    """The text of a line in UTF-8, or of one in ASCII that was written as UTF-16, without a byte order mark."""
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        line = line.removeprefix(mark)
    return one_line(line.decode(errors="replace").replace("\0", ""))


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
    timeout: float,
) -> None:
    """Asks a program to quit unless the timeout is 0, then kills it and its children."""
    closing.set()
    if timeout:
        outgoing.put(b"quit\n")
    outgoing.put(None)
    with suppress(subprocess.TimeoutExpired):
        program.wait(timeout)
    _kill_group(program)
    with suppress(subprocess.TimeoutExpired):
        program.wait(KILL_TIMEOUT)


def _kill_group(program: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        command = ["taskkill", "/F", "/T", "/PID", str(program.pid)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
