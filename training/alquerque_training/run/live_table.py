"""Shows a training run while it goes on: a live table in a terminal, plain lines elsewhere."""

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from alquerque_env.arena import Progress as ArenaProgress

SECONDS_BETWEEN_LINES = 5.0


class TrainingProgress:
    """A live view of the newest record of the log.

    Args:
      title: What is trained.
      iterations: Length of the whole run.
      steps_per_iteration: To tell the time left.
      console: Where to show it.
    """

    def __init__(self, title: str, iterations: int, steps_per_iteration: int, console: Console) -> None:
        self._title, self._iterations, self._steps = title, iterations, steps_per_iteration
        self._console = console
        self._live = Live(console=console, refresh_per_second=4) if console.is_terminal else None
        self._win_rates = "not measured yet"
        self._rating = ""
        self._speed = 0.0
        self._record: Mapping[str, float] | None = None
        self._next_line = 0.0

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, record: Mapping[str, float]) -> None:
        """Shows a record of the log."""
        if "win_rate_player_0" in record:
            seats = (record["win_rate_player_0"], record["win_rate_player_1"])
            self._win_rates = " / ".join(f"{100 * seat:.0f} %" for seat in seats)
        # Smoothed, so that the time left does not jump with every iteration.
        speed = record["steps_per_second"]
        self._speed = 0.8 * self._speed + 0.2 * speed if self._speed else speed
        self._record = record
        if self._live is not None:
            self._live.update(self._table(record))
        else:
            self._print(self._line(record), at_once=record["iteration"] == self._iterations)

    def show_arena(self, arena: ArenaProgress) -> None:
        """Shows how far an arena is."""
        words = "balanced openings found" if arena.stage == "openings" else "matches played"
        text = f"in the arena: {arena.done} of {arena.count} {words}"
        if self._live is not None:
            parts: list[RenderableType] = [] if self._record is None else [self._table(self._record)]
            self._live.update(Group(*parts, Text(text)))
        else:
            self._print(text)

    def show_rating(self, rating: float) -> None:
        """Shows the newest rating by the arena, in Elo, from now on."""
        self._rating = f"{rating:+.0f} Elo"
        if self._live is not None and self._record is not None:
            self._live.update(self._table(self._record))

    def _print(self, line: str, *, at_once: bool = False) -> None:
        if at_once or time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            self._console.print(line, soft_wrap=True, highlight=False)

    def note(self, text: str) -> None:
        """Prints a line above the table."""
        self._console.print(text, soft_wrap=True, highlight=False, markup=False)

    def _time_left(self, record: Mapping[str, float]) -> str:
        seconds = (self._iterations - record["iteration"]) * self._steps / self._speed
        minutes, seconds = divmod(round(seconds), 60)
        return f"{minutes}:{seconds:02d}"

    def _line(self, record: Mapping[str, float]) -> str:
        rating = f"rating {self._rating}  " if self._rating else ""
        return (
            f"{record['iteration']:.0f}/{self._iterations} iterations  {record['steps_per_second']:,.0f} steps/s  "
            f"policy loss {_text(record, 'policy_loss', '+.4f')}  value loss {_text(record, 'value_loss', '.4f')}  "
            f"entropy {_text(record, 'entropy', '.3f')}  wins v. random {self._win_rates}  "
            f"{rating}{self._time_left(record)} left"
        )

    def _table(self, record: Mapping[str, float]) -> Group:
        bar = Progress(TextColumn(self._title), BarColumn(), TaskProgressColumn())
        bar.add_task(self._title, total=self._iterations, completed=int(record["iteration"]))
        table = Table(box=None, show_header=False, padding=(0, 2))
        table.add_row("steps", f"{record['steps']:,.0f}", "time left", self._time_left(record))
        table.add_row("steps/s", f"{self._speed:,.0f}", "wins v. random, as player_0 / 1", self._win_rates)
        table.add_row(
            "policy loss", _text(record, "policy_loss", "+.4f"), "value loss", _text(record, "value_loss", ".4f")
        )
        table.add_row("entropy", _text(record, "entropy", ".3f"), "steps per game", _text(record, "game_length", ".1f"))
        table.add_row("draws", _text(record, "draws", ".0%"), "simulations", _text(record, "simulations", ".0f"))
        if self._rating:
            table.add_row("rating", self._rating)
        return Group(bar, table)


def _text(record: Mapping[str, float], name: str, form: str) -> str:
    """A number of the record, a dash where it has none."""
    return format(record[name], form) if name in record else "-"
