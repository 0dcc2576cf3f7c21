"""Runs long tasks so that Ctrl-C ends them: compiled kernels do not react to it, so they run in another thread."""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")

# Seconds until the note appears.
_PATIENCE = 0.7
_TICK = 0.1


def run_interruptible(task: Callable[[], Result], note: str) -> Result:
    """Runs a task in a thread, waits for it, and returns its result or raises its exception.

    After Ctrl-C the task runs on until the program ends, so it must change nothing that others use. On a terminal the
    note is shown while a long task runs, with the seconds so far.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(task())
        except BaseException as error:
            future.set_exception(error)

    begun = time.monotonic()
    threading.Thread(target=run, daemon=True).start()
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
