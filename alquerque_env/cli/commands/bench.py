"""`alquerque bench`: a group, one command for each thing that is measured."""

import json
import os
import platform
from pathlib import Path
from typing import Any

import click

from ...bots.trainer import load_from_trainer
from ...game.game import load_game
from ..parameters import check_range, takes_json

BENCH_GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "awithlaknannai_mosona_davis")


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure speed on this machine, each figure beside a peer or a limit in the same run."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@bench.command()
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--seconds", type=float, default=2.0, show_default=True, help="Processor time for each figure.")
@takes_json
def env(names: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure the environments, in steps a second of one core.

    Beside them stand the framework's own floor, an environment that does nothing, and OpenSpiel's checkers stepped in
    Python with legal actions, mask and tensor, if open_spiel is installed.
    """
    from ...benchmark.speed.env_speed import measure

    check_range("--seconds", seconds, 0.01, 600)
    chosen = [load_game(name) for name in names or BENCH_GAMES]
    report = _Report(f"steps a second of one core; Python {platform.python_version()}", as_json)
    found: dict[str, list[dict[str, Any]]] = {}
    for game in chosen:
        found[game.name] = []
        report.line(f"\n{game.name}")
        for figure in measure(game, seconds):
            found[game.name].append(figure._asdict())
            ratio = "" if figure.ratio is None else f"{figure.ratio:9.2f} x {figure.beside}"
            report.line(f"  {figure.name:<58} {figure.steps_per_second:>13,.0f} {ratio}")
    report.finish(seconds=seconds, games=found)


@bench.command()
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--seconds", type=float, default=1.0, show_default=True, help="For each figure, once it has begun.")
@click.option(
    "--network",
    "kinds",
    type=click.Choice(["mlp", "quiescent", "conv", "graph"]),
    multiple=True,
    help="Only these; repeatable.",
)
@click.option("--games", "batches", type=int, multiple=True, metavar="N", help="Games at once; repeatable.")
@click.option("--processes", type=int, metavar="N", help="At once in the last figure; 2 if there are as many cores.")
@takes_json
def search(
    names: tuple[str, ...],
    seconds: float,
    kinds: tuple[str, ...],
    batches: tuple[int, ...],
    processes: int | None,
    as_json: bool,
) -> None:
    """Measure self-play with a search, in simulations a second, beside the network alone.

    One process with one thread, by its processor time (a GPU by the clock); then the fastest of them in several
    processes at once, by the clock too.
    """
    check_range("--seconds", seconds, 0.01, 600)
    for count in batches:
        check_range("--games", count, 1, 65_536)
    processes = min(2, os.cpu_count() or 1) if processes is None else processes
    check_range("--processes", processes, 1, 256)
    chosen = [load_game(name) for name in names or BENCH_GAMES[:1]]
    measured = load_from_trainer("train_speed")
    report = _Report(f"Gumbel search, {measured.SIMULATIONS} simulations a decision, one thread", as_json)
    report.line(SEARCH_COLUMNS)
    found: dict[str, Any] = {}
    for game in chosen:
        report.line(f"\n{game.name}\n{SEARCH_HEADING}")
        figures = []
        for figure in measured.measure_search(game, seconds, kinds, batches):
            figures.append(figure)
            report.line(_search_row(figure))
        best = measured.fastest_on_processor(game, figures)
        together = measured.measure_together(best, seconds, processes)
        report.line(
            f"  {together.network} {together.precision}, {together.games} games in each of {processes} processes: "
            f"{together.simulations_per_second:,.0f} simulations/s by processor time, "
            f"{together.simulations_per_clock_second:,.0f} by the clock"
        )
        found[game.name] = {"figures": [each._asdict() for each in figures], "together": together._asdict()}
    report.finish(seconds=seconds, games=found)


@bench.command()
@click.argument("name", metavar="GAME")
@click.option("--table", "path", type=click.Path(path_type=Path), metavar="PATH", help="Another table of the game.")
@click.option("--seconds", type=float, default=1.0, show_default=True, help="Processor time for each figure.")
@takes_json
def tables(name: str, path: Path | None, seconds: float, as_json: bool) -> None:
    """Measure an endgame table, in values looked up a second of one core, beside reading the memory alone."""
    from ...benchmark.speed.table_lookup import measure_table
    from ...solve.tables import load_table

    check_range("--seconds", seconds, 0.01, 600)
    table = load_table(load_game(name), path)
    report = _Report(f"{name}, up to {table.pieces} pieces, {table.index.size:,} numbers", as_json)
    found = []
    for rate in measure_table(table, seconds):
        found.append(rate._asdict())
        report.line(f"  {rate.name:<56} {rate.per_second:>14,.0f}  {rate.ratio:8.4f}")
    report.finish(game=name, pieces=table.pieces, rates=found)


SEARCH_COLUMNS = (
    "ratio: simulations/s to network alone/s; of peak (mlp only): operations/s of the network alone "
    "to those of large products of matrices"
)
SEARCH_HEADING = (
    f"  {'':<40}{'simulations/s':>15}{'by the clock':>14}{'decisions/s':>13}{'in network':>12}"
    f"{'network alone/s':>17}{'ratio':>7}{'of peak':>9}"
)


def _search_row(figure: Any) -> str:
    name = f"{figure.network} {figure.precision} {figure.device}, {figure.games} games"
    peak = "" if figure.peak_share is None else f"{figure.peak_share:9.2%}"
    return (
        f"  {name:<40}{figure.simulations_per_second:>15,.0f}{figure.simulations_per_clock_second:>14,.0f}"
        f"{figure.decisions_per_second:>13,.0f}{figure.network_share:>12.1%}{figure.evaluations_per_second:>17,.0f}"
        f"{figure.ratio:>7.2f}{peak}"
    )


@bench.command()
@click.argument("config", metavar="CONFIG|GAME")
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option("--iterations", type=int, default=3, show_default=True, help="Measured, after some to begin with.")
@takes_json
def train(config: str, overrides: tuple[str, ...], iterations: int, as_json: bool) -> None:
    """Measure training, in steps a second of whole iterations.

    CONFIG is the name of a config that comes with the package, or the path of a TOML file. For a GAME, PPO and
    AlphaZero with their defaults are measured. No file is written.
    """
    check_range("--iterations", iterations, 1, 1000)
    measured = load_from_trainer("train_speed")
    configs = measured.configs_to_measure(config, overrides)
    report = _Report("whole iterations, by the clock", as_json)
    report.line(TRAIN_HEADING)
    figures = []
    for settings in configs:
        figure = measured.measure_training(settings, iterations)
        figures.append(figure._asdict())
        report.line(_train_row(figure))
    report.finish(config=config, figures=figures)


TRAIN_HEADING = (
    f"  {'':<20}{'steps/s':>12}{'steps/processor s':>19}{'playing':>9}{'learning':>10}{'positions learned/s':>21}"
)


def _train_row(figure: Any) -> str:
    row = f"  {figure.algorithm:<20}{figure.steps_per_second:>12,.0f}{figure.steps_per_processor_second:>19,.0f}"
    if figure.playing_share is None:
        return row
    share = figure.playing_share
    return f"{row}{share:>9.1%}{1 - share:>10.1%}{figure.positions_per_second:>21,.0f}"


class _Report:
    """Prints lines as they come, or one JSON object at the end."""

    def __init__(self, heading: str, as_json: bool) -> None:
        self._as_json = as_json
        self._machine = f"{platform.system()} {platform.machine()}"
        self.line(f"{heading}; {self._machine}")

    def line(self, text: str) -> None:
        if not self._as_json:
            click.echo(text)

    def finish(self, **content: Any) -> None:
        if self._as_json:
            click.echo(json.dumps({"machine": self._machine, **content}, indent=2))
