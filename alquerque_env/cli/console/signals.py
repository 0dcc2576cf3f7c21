"""Signal handlers for commands that have work to save: Ctrl-C, a closed terminal, a system that shuts down."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_TERMINATING = ("SIGHUP", "SIGTERM")


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Lets the first signal that would kill the program raise `SystemExit` instead, so that work can be saved.

    Signals that the caller ignores, as `nohup` does, stay ignored.
    """
    handled = [number for number in _numbers(*_TERMINATING) if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, _frame: FrameType | None) -> None:
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    with _handled(handled, end):
        yield


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Sets an event on the first Ctrl-C; the second one raises `KeyboardInterrupt`."""
    event = threading.Event()

    def note(number: int, _frame: FrameType | None) -> None:
        event.set()
        signal.signal(number, signal.default_int_handler)

    with _handled(_numbers("SIGINT"), note):
        yield event


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


def _numbers(*names: str) -> list[signal.Signals]:
    """The signals that this system has; none outside the main thread, which alone can handle signals."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
