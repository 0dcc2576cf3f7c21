"""What Ctrl-C, a closed terminal and a system that shuts down do to commands.

Handlers for commands that have work to save; and long tasks in another thread, since compiled kernels do not react to
Ctrl-C.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any

from ...progress import Result, in_daemon_thread
from ...start import INTERRUPTED, was_interrupted

_TERMINATING = ("SIGHUP", "SIGTERM")


class Terminated(KeyboardInterrupt):
    """A signal that ends the program. Long work ends by it as by Ctrl-C, but with another exit status."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


@contextmanager
def terminate_as_ctrl_c() -> Iterator[None]:
    """Lets signals that would kill the program raise `Terminated` instead, so that work ends as by Ctrl-C.

    Signals that the caller ignores, as `nohup` does, stay ignored.
    """
    with _handled(_killing(), _terminate):
        yield


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Lets the first signal that would kill the program raise `SystemExit` instead; further ones are ignored.

    Signals that the caller ignores, as `nohup` does, stay ignored.
    """
    handled = _killing()

    def end(number: int, _frame: FrameType | None) -> None:
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    with _handled(handled, end):
        yield


@contextmanager
def end_at_once() -> Iterator[None]:
    """Lets Ctrl-C and the signals that would kill the program end it at once, where nothing is left to save.

    For threads that no exception ends, such as one that waits for input.
    """
    with _handled([*_numbers("SIGINT"), *_killing()], lambda number, _frame: os._exit(128 + number)):
        yield


class Interruption:
    """Whether the program has been asked to stop.

    Attributes:
      status: The exit status that says why; None as long as it has not.
      raises: Whether the first signal raises `KeyboardInterrupt` too, because nothing is lost by stopping at once.
    """

    status: int | None = None
    raises = False


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Notes the first Ctrl-C or signal that would kill the program; a second one raises `KeyboardInterrupt`.

    A Ctrl-C that has come before, and that ended nothing, counts.
    """
    asked = Interruption()
    if was_interrupted():
        asked.status = INTERRUPTED

    def note(number: int, _frame: FrameType | None) -> None:
        asked.status = 128 + number
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _terminate)
        if asked.raises:
            raise Terminated(number)

    with _handled([*_numbers("SIGINT"), *_killing()], note):
        yield asked


@contextmanager
def signals_for_parent_only() -> Iterator[None]:
    """Processes that are started meanwhile get neither Ctrl-C nor the signals that end a program: their parent does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it unblocks signals when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _numbers(*_TERMINATING, "SIGINT"))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ignore_signals() -> Iterator[None]:
    """Ignores Ctrl-C, a closed terminal and the end of the system. For short tasks only."""
    with _handled(_numbers(*_TERMINATING, "SIGINT"), signal.SIG_IGN):
        yield


@contextmanager
def _handled(numbers: list[signal.Signals], handler: Callable[..., Any] | signal.Handlers) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _killing() -> list[signal.Signals]:
    """The signals that would end the program."""
    return [number for number in _numbers(*_TERMINATING) if signal.getsignal(number) in (signal.SIG_DFL, _terminate)]


def _numbers(*names: str) -> list[signal.Signals]:
    """The signals that this system has; none outside the main thread, which alone can handle signals."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


# Seconds until the note appears.
_PATIENCE = 0.7
_TICK = 0.1


def run_interruptible(task: Callable[[], Result], note: str) -> Result:
    """Runs a task in a thread, waits for it, and returns its result or raises its exception.

    After Ctrl-C the task runs on until the program ends, so it must change nothing that others use. On a terminal the
    note is shown while a long task runs, with the seconds so far.
    """
    begun = time.monotonic()
    future = in_daemon_thread(task)
    wait([future], _PATIENCE)
    shown = ""
    try:
        # On some systems Ctrl-C does not interrupt a wait without a timeout.
        while not future.done():
            seconds = int(time.monotonic() - begun)
            text = f"{note} {seconds} s" if seconds else note
            if text != shown and sys.stderr.isatty():
                print(f"\r{text}", end="", file=sys.stderr, flush=True)
                shown = text
            wait([future], _TICK)
    finally:
        if shown:
            print("\r" + " " * len(shown) + "\r", end="", file=sys.stderr, flush=True)
    return future.result()
