"""What Ctrl-C, a terminal that is closed and a system that shuts down do to a program that has work to save."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDS = ("SIGHUP", "SIGTERM")


@contextmanager
def orderly_end() -> Iterator[None]:
    """Within it, what would kill the program raises `SystemExit` instead, once, so that work can be saved.

    What the caller has switched off, as `nohup` does, stays so.
    """
    heeded = [number for number in _numbers(*_ENDS) if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, _frame: FrameType | None) -> None:
        for each in heeded:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    with _handled(heeded, end):
        yield


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Sets an event at the first Ctrl-C; a second one interrupts as usual."""
    event = threading.Event()

    def note(number: int, _frame: FrameType | None) -> None:
        event.set()
        signal.signal(number, signal.default_int_handler)

    with _handled(_numbers("SIGINT"), note):
        yield event


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within it, neither Ctrl-C nor the end of terminal or system has an effect. For short work only."""
    with _handled(_numbers(*_ENDS, "SIGINT"), signal.SIG_IGN):
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
    """The signals of this system; none outside the main thread, which alone may handle them."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
