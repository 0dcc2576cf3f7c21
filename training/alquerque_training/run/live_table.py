"""The progress of a training run: a live table of the newest record in a terminal, plain lines elsewhere."""

from collections.abc import Mapping
from itertools import zip_longest

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from alquerque_env.cli.console.progress_bar import Display, format_time
from alquerque_env.progress import Progress


class TrainingProgress(Display):
    """Shows the newest record of the log, and the time left in a run of so many iterations.

    `roles` are the names of the players in a game whose sides differ.
    """

    def __init__(
        self,
        title: str,
        iterations: int,
        steps_per_iteration: int,
        console: Console,
        roles: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(counts=False, console=console, pause=5.0, shows_time_left=False)
        self._next_line = 0.0  # the first line comes at once
        self._title, self._iterations, self._steps = title, iterations, steps_per_iteration
        self._roles = "" if roles is None else f" as {' / '.join(roles)}"
        self._win_rates = "not measured yet"
        self._exact_error = ""
        self._rating = ""
        self._speed = 0.0
        self._record: Mapping[str, float] | None = None

    def show_record(self, record: Mapping[str, float]) -> None:
        """Shows a record of the log."""
        if "win_rate_player_0" in record:
            self._win_rates = " / ".join(_results(record, player) for player in ("player_0", "player_1"))
        if "exact_error" in record:
            self._exact_error = f"{record['exact_error']:.1%}"
        # Smoothed, so that the time left does not jump with every iteration.
        speed = record["steps_per_second"]
        self._speed = 0.8 * self._speed + 0.2 * speed if self._speed else speed
        self._record = record
        self._show(self._line(record), at_once=record["iteration"] == self._iterations)

    def show_arena(self, arena: Progress) -> None:
        """Shows the progress of an arena."""
        text = f"in the arena: {arena}"
        self._show(text, Text(text))

    def show_rating(self, rating: float) -> None:
        """Sets the rating that is shown, in Elo."""
        self._rating = f"{rating:+.0f} Elo"
        if self._live is not None and self._record is not None:
            self._show(self._line(self._record))

    def _show(self, line: str, *below: RenderableType, at_once: bool = False) -> None:
        record = self._record
        done = 0 if record is None else int(record["iteration"])
        tables = [] if record is None else [self._table(record)]
        self.update(self._title, done, self._iterations, line=line, below=Group(*tables, *below), at_once=at_once)

    def _time_left_of(self, record: Mapping[str, float]) -> str:
        return format_time((self._iterations - record["iteration"]) * self._steps / self._speed)

    def _figures(self, record: Mapping[str, float]) -> dict[str, str]:
        """What is shown of a record, by name; what has not been measured in the whole run is left out."""
        found = {
            "iterations": f"{record['iteration']:.0f}/{self._iterations}",
            "steps": f"{record['steps']:,.0f}",
            "steps/s": f"{self._speed:,.0f}",
            "time left": self._time_left_of(record),
            "policy loss": _text(record, "policy_loss", "+.4f"),
            "value loss": _text(record, "value_loss", ".4f"),
            "entropy": _text(record, "entropy", ".3f"),
            "steps per game": _text(record, "game_length", ".1f"),
            "draws": _text(record, "draws", ".0%"),
            "simulations": _text(record, "simulations", ".0f"),
            f"wins v. random{self._roles}": self._win_rates,
            "wrong choices": self._exact_error,
            "rating": self._rating,
        }
        return {name: text for name, text in found.items() if text}

    def _line(self, record: Mapping[str, float]) -> str:
        return "  ".join(f"{name} {text}" for name, text in self._figures(record).items())

    def _table(self, record: Mapping[str, float]) -> Table:
        table, cells = Table(box=None, show_header=False, padding=(0, 2)), list(self._figures(record).items())
        for left, right in zip_longest(cells[::2], cells[1::2], fillvalue=("", "")):
            table.add_row(*left, *right)
        return table


def _results(record: Mapping[str, float], player: str) -> str:
    """The share of games won against random, and of those drawn where they are in the record."""
    drawn = f" ({record[f'draw_rate_{player}']:.0%} drawn)" if f"draw_rate_{player}" in record else ""
    return f"{record[f'win_rate_{player}']:.0%}{drawn}"


def _text(record: Mapping[str, float], name: str, form: str) -> str:
    """Formats a number of the record; a dash if it is absent."""
    return format(record[name], form) if name in record else "-"
