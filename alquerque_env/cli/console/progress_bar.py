"""How far long work is, on the error output: a bar in a terminal, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Any, Self

import click

_SECONDS_BETWEEN_LINES = 20.0


class Display:
    """Shows how far it is; in a terminal by a bar, if `rich` is installed.

    Args:
      stopped: What to say at Ctrl-C of what becomes of the work; nothing if None.
      counts: Whether the bar tells what is done in numbers rather than as a share.
    """

    def __init__(self, stopped: str | None = None, *, counts: bool = True) -> None:
        self._stopped = stopped
        self._bar = _make_bar(counts)
        self._task = None if self._bar is None else self._bar.add_task("", total=None, visible=False)
        self._before: tuple[float, float | None] = (0, None)
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._stage_began = time.monotonic(), 0.0

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is KeyboardInterrupt and self._stopped is not None:
            self.note(f"stopped; {self._stopped}")

    def note(self, text: str) -> None:
        """Shows a line."""
        if self._bar is None:
            click.echo(text, err=True)
        else:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def update(self, about: str, done: float = 0, total: float | None = None, *, line: str | None = None) -> None:
        """Shows how far it is.

        Args:
          about: What is being done.
          done: How much of it is.
          total: How much there is to do; None if nobody knows.
          line: What to say where there is no bar, if it is something else.
        """
        is_new = done < self._before[0] or total != self._before[1]
        self._before = done, total
        if is_new:
            self._stage_began = time.monotonic(), done
        if self._bar is not None:
            if is_new:
                self._bar.reset(self._task, total=total)  # the time left is not told by what was done before
            self._bar.update(self._task, description=about, completed=done, visible=True)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            self.note((line or (about if total is None else f"{about}: {done} of {total}")) + self._time_left())

    def _time_left(self) -> str:
        """The end of a line: how long the rest takes, at the pace so far."""
        (began, before), (done, total) = self._stage_began, self._before
        if total is None or not before < done < total:
            return ""
        seconds = round((time.monotonic() - began) * (total - done) / (done - before))
        return f", {seconds // 60}:{seconds % 60:02} left"


def _make_bar(counts: bool) -> Any:
    """The bar, None where there is no terminal or no `rich`."""
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        return None
    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    how_far = progress.MofNCompleteColumn() if counts else progress.TaskProgressColumn()
    columns = (
        progress.TextColumn("{task.description:<24}"),
        progress.BarColumn(),
        how_far,
        progress.TimeRemainingColumn(),
    )
    return progress.Progress(*columns, console=console, transient=True)
