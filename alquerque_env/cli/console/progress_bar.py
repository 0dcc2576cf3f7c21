"""Progress of long tasks: in a terminal a bar, with a table below it if there is one; elsewhere a line at times."""

import time
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress as Bar,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from ...errors import one_line, plain_text
from ...progress import Progress

_LEAST_SHARE = 0.02  # of a stage before which its speed does not say how long it takes


class _TimeLeft(TimeRemainingColumn):
    """The estimated time left, once a part of the task is done."""

    def render(self, task: Task) -> Text:
        """See `ProgressColumn.render`."""
        is_known = task.total is not None and task.completed >= _LEAST_SHARE * task.total
        return super().render(task) if is_known else Text("")


class Display:
    """Shows progress while its context lasts.

    Args:
      stopped: Printed after Ctrl-C, to say what is kept and how to resume; nothing if None.
      counts: Whether the bar shows numbers instead of a percentage.
      console: The console; the error output if None.
      pause: Seconds before the first line and between lines, where there is no bar.
      shows_time_left: Whether to estimate the remaining time.
    """

    def __init__(
        self,
        stopped: str | None = None,
        *,
        counts: bool = True,
        console: Console | None = None,
        pause: float = 20.0,
        shows_time_left: bool = True,
    ) -> None:
        self._stopped, self._counts, self._pause, self._shows_time_left = stopped, counts, pause, shows_time_left
        self._console = console or Console(stderr=True)
        position = MofNCompleteColumn() if counts else TaskProgressColumn()
        columns = TextColumn("{task.description:<24}", markup=False), BarColumn(), position
        self._bar = Bar(*columns, *([_TimeLeft()] if shows_time_left else []), console=self._console)
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

    def __exit__(self, kind: type[BaseException] | None, *_details: object) -> None:
        if self._live is not None:
            self._live.transient = self._below is None
            self._live.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self._stopped is not None:
            self.note(f"stopped; {self._stopped}")

    def note(self, text: str) -> None:
        """Prints a line, above the bar."""
        self._console.print(plain_text(text), markup=False, highlight=False, soft_wrap=True)

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
        """Shows how much of a task is done, of how much if that is known.

        Without a bar a `line`, made of the other arguments if None, is printed when the pause is over, or `at_once`;
        under a bar `below` is shown.
        """
        is_new = done < self._before[0] or total != self._before[1]
        self._before = done, total
        if is_new:
            self._stage_began = time.monotonic(), done
            self._bar.reset(self._task, total=total)  # the speed of the previous stage does not count
        self._bar.update(self._task, description=one_line(about), completed=done, visible=True)
        self._below = below
        if self._live is not None:
            if is_new:
                self._live.refresh()  # so that short stages appear too
        elif at_once or time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._pause
            self.note((line or (about if total is None else f"{about}: {done} of {total}")) + self._time_left())

    def show(self, progress: Progress) -> None:
        """Shows the progress of some work."""
        about = f"{progress.about}: {progress.what}" if progress.about else progress.what
        if progress.count is None:
            self.update(str(progress))
        else:
            share = f"{progress.done / progress.count:.0%} done, now {about}"
            self.update(about, progress.done, progress.count, line=str(progress) if self._counts else share)

    def _picture(self) -> RenderableType:
        return self._bar.get_renderable() if self._below is None else Group(self._bar, self._below)

    def _time_left(self) -> str:
        """The estimated time left, as the end of a line."""
        (began, before), (done, total) = self._stage_began, self._before
        if not self._shows_time_left or total is None or not _LEAST_SHARE * total <= done - before < total - before:
            return ""
        return f", {format_time((time.monotonic() - began) * (total - done) / (done - before))} left"


def format_time(seconds: float) -> str:
    """Minutes and seconds, such as `2:05`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
