"""Ctrl-C while something is under way that is to come to a good end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit status of a process that was stopped by Ctrl-C."""


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Sets an event at the first Ctrl-C; a second one interrupts as usual."""
    event = threading.Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        event.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
