"""Long work: its progress, for those who watch it, and a thread for it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True)
class Progress:
    """How far some work has come.

    Attributes:
      what: What is counted, such as "matches played", or what is being done.
      done: How many so far.
      count: The most there can be; None if that is not known.
      about: The game, the player or the part of the work, if there are several.
    """

    what: str
    done: float
    count: float | None = None
    about: str = ""

    def __str__(self) -> str:
        done = f"{self.done:,}" if self.count is None else f"{self.done} of {self.count}"
        return f"{self.about}: " * bool(self.about) + f"{done} {self.what}"


Watch = Callable[[Progress], None]  # Is called with the progress. An exception that it raises ends the work.


def unwatched(_progress: Progress) -> None:
    """Does nothing."""


Result = TypeVar("Result")


def in_daemon_thread(task: Callable[[], Result]) -> Future[Result]:
    """Runs a task in a thread that does not keep the program from ending."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(task())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
