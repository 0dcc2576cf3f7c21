"""How far long work is: in a terminal a bar, and below it a table if there is one; elsewhere a line now and then."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from ...arena import Progress


class Display:
    """Shows how far work is, in a context.

    Args:
      stopped: What to say at Ctrl-C about what becomes of the work; nothing if None.
      counts: Whether the bar shows numbers rather than a share.
      console: Where to show it; the error output if None.
      pause: Seconds before the first line and between lines, where there is no bar.
      tells_time: Whether to say how long the rest takes at the pace so far.
    """

    def __init__(
        self,
        stopped: str | None = None,
        *,
        counts: bool = True,
        console: Console | None = None,
        pause: float = 20.0,
        tells_time: bool = True,
    ) -> None:
        self._stopped, self._pause, self._tells_time = stopped, pause, tells_time
        self._console = console or Console(stderr=True)
        how_far = MofNCompleteColumn() if counts else TaskProgressColumn()
        columns = TextColumn("{task.description:<24}", markup=False), BarColumn(), how_far
        self._bar = Bar(*columns, *([TimeRemainingColumn()] if tells_time else []), console=self._console)
        self._task = self._bar.add_task("", total=None, visible=False)
        self._below: RenderableType | None = None
        self._live: Live | None = None
        if self._console.is_terminal:
            self._live = Live(console=self._console, get_renderable=self._picture)
        self._before: tuple[float, float | None] = (0, None)
        self._next_line = time.monotonic() + pause
        self._stage_began = time.monotonic(), 0.0

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.transient = self._below is None
            self._live.stop()
        if kind is KeyboardInterrupt and self._stopped is not None:
            self.note(f"stopped; {self._stopped}")

    def note(self, text: str) -> None:
        """Shows a line, above the bar."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def update(
        self,
        about: str,
        done: float = 0,
        total: float | None = None,
        *,
        line: str | None = None,
        below: RenderableType | None = None,
        at_once: bool = False,
    ) -> None:
        """Shows how far the work is.

        Args:
          about: What is being done.
          done: How much of it is done.
          total: How much there is to do; None if nobody knows.
          line: What to say where there is no bar, if it is something else.
          below: What to show below the bar.
          at_once: Whether the line does not wait for its time.
        """
        is_new = done < self._before[0] or total != self._before[1]
        self._before = done, total
        if is_new:
            self._stage_began = time.monotonic(), done
            self._bar.reset(self._task, total=total)  # the pace of the stage before does not count
        self._bar.update(self._task, description=about, completed=done, visible=True)
        self._below = below
        if self._live is not None:
            if is_new:
                self._live.refresh()  # a short stage is seen too
        elif at_once or time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._pause
            self.note((line or (about if total is None else f"{about}: {done} of {total}")) + self._time_left())

    def show(self, progress: Progress) -> None:
        """Shows how far an arena or a run of the benchmark is."""
        about = f"{progress.about}: {progress.stage}" if progress.about else progress.what
        self.update(about, progress.done, progress.count, line=str(progress))

    def _picture(self) -> RenderableType:
        return self._bar.get_renderable() if self._below is None else Group(self._bar, self._below)

    def _time_left(self) -> str:
        """The end of a line: how long the rest takes, at the pace so far."""
        (began, before), (done, total) = self._stage_began, self._before
        if not self._tells_time or total is None or not before < done < total:
            return ""
        return f", {format_time((time.monotonic() - began) * (total - done) / (done - before))} left"


def format_time(seconds: float) -> str:
    """Minutes and seconds, such as `2:05`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
