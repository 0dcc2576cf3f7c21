"""`alquerque solve`."""

import json
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from ..errors import AlquerqueError
from ..game import Game
from .parameters import open_match, takes_game, takes_json

if TYPE_CHECKING:
    from ..tables.file import Header
    from ..tables.solving import SolveProgress

_SECONDS_BETWEEN_LINES = 20.0


@click.command()
@takes_game
@click.option("--pieces", type=int, metavar="K", help="The most pieces on the board.")
@click.option("--verify", is_flag=True, help="Check every value of a table against those after each turn.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PATH",
    help="The table file; without it, its place in the user's cache directory.",
)
@click.option("--memory", type=float, default=16.0, show_default=True, metavar="GIB", help="The most it may use.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Processors to use; all without it.")
@takes_json
def solve(
    game: Game,
    pieces: int | None,
    verify: bool,
    output: Path | None,
    memory: float,
    threads: int | None,
    as_json: bool,
) -> None:
    """Build the table of exact values of all positions with at most K pieces, or check one.

    Ctrl-C stops; the same command goes on where it was.
    """
    if pieces is None and not verify:
        raise AlquerqueError("say with how many pieces: --pieces K, or --verify to check a table that there is")
    from ..tables import build_table, load_table
    from ..tables.building import GIBIBYTE, plan
    from ..tables.places import table_path
    from ..tables.solving import memory_needed
    from ..tables.verifying import verify_table

    began = time.monotonic()
    open_match(game)  # compiles, with a note, what every match needs
    path = output
    with _Display() as display:
        if pieces is not None:
            index = plan(game, pieces, memory)
            display.note(f"{index.size:,} positions, {memory_needed(index) / GIBIBYTE:.2f} GiB of memory")
            path = build_table(game, pieces, output, memory=memory, threads=threads, watch=display.update)
        table = load_table(game, path)
        if verify:
            verify_table(table, threads, display.update)
    path = path or table_path(game, table.pieces)
    _report(path, table.header, time.monotonic() - began, verify, as_json)


class _Display:
    """Shows on the error output how far it is: a bar in a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        try:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
        except ImportError:
            return
        console = Console(stderr=True)
        columns = (TextColumn("{task.description:<24}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        if console.is_terminal:
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("", total=1.0)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is KeyboardInterrupt:
            click.echo("stopped; the same command goes on", err=True)

    def note(self, text: str) -> None:
        """Shows a line."""
        click.echo(text, err=True)

    def update(self, progress: "SolveProgress") -> None:
        """Shows how far it is."""
        if self._bar is not None:
            text = f"{progress.name} {progress.stage}"
            self._bar.update(self._task, description=text, completed=progress.done, total=progress.total)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            share = progress.done / progress.total
            click.echo(f"{share:.0%} done, now {progress.name}: {progress.stage}", err=True)


def _report(path: Path, header: "Header", seconds: float, verified: bool, as_json: bool) -> None:
    positions = sum(part["positions"] for part in header.slices)
    size = path.stat().st_size
    if as_json:
        parts = [{key: value for key, value in part.items() if key != "blocks"} for part in header.slices]
        found = {
            "game": header.game,
            "options": header.options,
            "table_hash": header.table_hash,
            "pieces": header.pieces,
            "positions": positions,
            "bytes": size,
            "path": str(path),
            "seconds": round(seconds, 1),
            "verified": verified,
            "slices": parts,
        }
        click.echo(json.dumps(found, indent=2))
        return
    width = max(len(part["name"]) for part in header.slices)
    click.echo(f"{'slice':<{width}} {'positions':>13} {'won':>7} {'drawn':>7} {'lost':>7} {'longest':>8}")
    for part in header.slices:
        shares = " ".join(f"{part[what] / max(part['positions'], 1):>7.2%}" for what in ("won", "drawn", "lost"))
        click.echo(f"{part['name']:<{width}} {part['positions']:>13,} {shares} {part['longest']:>8}")
    checked = "; every value checked" if verified else ""
    click.echo(f"{positions:,} positions, {size / positions:.3f} bytes each, {seconds:.0f} s: {path}{checked}")
