"""Long work that Ctrl-C can end: compiled kernels do not listen to it, so they run beside the program."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

# What takes no longer needs no note.
_PATIENCE = 0.7
_TICK = 0.1


def work(task: Callable[[], Result], note: str) -> Result:
    """Does a task in another thread and waits for it.

    Args:
      task: What to do. After Ctrl-C it goes on until the program ends, so it must change nothing that others look at.
      note: Shown on the error output while the task takes long, if that is a terminal.

    Returns:
      What the task returns.

    Raises:
      BaseException: What the task raises.
    """
    results: list[Result] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append(task())
        except BaseException as error:
            errors.append(error)
        done.set()

    threading.Thread(target=run, daemon=True).start()
    if not done.wait(_PATIENCE):
        _wait_with_note(done, note)
    if errors:
        raise errors[0]
    return results[0]


def _wait_with_note(done: threading.Event, note: str) -> None:
    shows = sys.stderr.isatty()
    try:
        if shows:
            print(note, end="", file=sys.stderr, flush=True)
        # On some systems a wait without limit does not listen to Ctrl-C.
        while not done.wait(_TICK):
            pass
    finally:
        if shows:
            print("\r" + " " * len(note) + "\r", end="", file=sys.stderr, flush=True)
