"""`alquerque bench`: a group of commands, one for each thing that is measured."""

import os
import platform
from pathlib import Path
from typing import Any

import click

from ...bots.trainer import load_from_trainer
from ...game.game import load_game
from ..command import HelpfulCommand, print_json
from ..parameters import PATH, json_option

BENCH_GAMES = ("alquerque", "fetaix", "awithlaknannai_mosona", "awithlaknannai_mosona_davis")

_SECONDS = click.FloatRange(0.01, 600)


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure speed.

    Each figure stands beside a peer or an upper limit, measured in the same run.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@bench.command(
    cls=HelpfulCommand,
    arguments={"GAME": f"Games to measure.  [default: {' '.join(BENCH_GAMES)}]"},
    examples=["bench env", "bench env fetaix --seconds 1 --json"],
)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option(
    "--seconds", type=_SECONDS, default=2.0, show_default=True, metavar="S", help="Processor time of each figure."
)
@json_option
def env(names: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure the environments, in steps a second of one core.

    Compares them with an environment that does nothing, which is the upper limit of the framework, and with OpenSpiel's
    checkers (stepped in Python with legal actions, mask and tensor) if open_spiel is installed.
    """
    from ...benchmark.speed.env_speed import measure

    report = _Report(f"steps a second of one core; Python {platform.python_version()}", as_json)
    found: dict[str, list[dict[str, Any]]] = {}
    for game in [load_game(name) for name in names or BENCH_GAMES]:
        found[game.name] = []
        report.line(f"\n{game.name}")
        for figure in measure(game, seconds):
            found[game.name].append(figure._asdict())
            ratio = "" if figure.ratio is None else f"{figure.ratio:9.2f} x {figure.beside}"
            report.line(f"  {figure.name:<58} {figure.steps_per_second:>13,.0f} {ratio}")
    report.finish(seconds=seconds, games=found)


@bench.command(
    cls=HelpfulCommand,
    arguments={"GAME": f"Games to measure.  [default: {BENCH_GAMES[0]}]"},
    examples=["bench search alquerque --network mlp", "bench search fetaix --games 256 --processes 2"],
)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--seconds", type=_SECONDS, default=1.0, show_default=True, metavar="S", help="Time of each figure.")
@click.option(
    "--network",
    "kinds",
    type=click.Choice(["mlp", "mlp-search-features", "conv", "graph"]),
    multiple=True,
    show_default="all",
    help="Kind of network; repeatable.",
)
@click.option(
    "--games",
    "batches",
    type=click.IntRange(1, 65_536),
    multiple=True,
    metavar="N",
    show_default="several numbers",
    help="Games at once; repeatable.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    default=min(2, os.cpu_count() or 1),
    show_default=True,
    metavar="N",
    help="Processes at once in the last figure.",
)
@json_option
def search(
    names: tuple[str, ...],
    seconds: float,
    kinds: tuple[str, ...],
    batches: tuple[int, ...],
    processes: int,
    as_json: bool,
) -> None:
    """Measure self-play with a search, in simulations a second.

    Measures one process with one thread by its processor time (a GPU by the clock) beside the network alone, and then
    the fastest setting in several processes at once.
    """
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


SEARCH_COLUMNS = (
    "ratio: simulations/s to evaluations/s of the network alone\n"
    "of peak (mlp without search features only): operations/s of the network alone to those of large matrix products"
)
SEARCH_HEADING = (
    f"  {'':<64}{'simulations/s':>15}{'by the clock':>14}{'decisions/s':>13}{'in network':>12}"
    f"{'network alone/s':>17}{'ratio':>7}{'of peak':>9}"
)


def _search_row(figure: Any) -> str:
    name = f"{figure.network} {figure.precision} {figure.device}, {figure.games} games"
    peak = "" if figure.peak_share is None else f"{figure.peak_share:9.2%}"
    return (
        f"  {name:<64}{figure.simulations_per_second:>15,.0f}{figure.simulations_per_clock_second:>14,.0f}"
        f"{figure.decisions_per_second:>13,.0f}{figure.network_share:>12.1%}{figure.evaluations_per_second:>17,.0f}"
        f"{figure.ratio:>7.2f}{peak}"
    )


@bench.command(
    cls=HelpfulCommand, examples=["bench tables fetaix", "bench tables fetaix --table fetaix.aqt --seconds 5"]
)
@click.argument("name", metavar="GAME")
@click.option("--table", "path", type=PATH, metavar="PATH", show_default="that of the game", help="Table to measure.")
@click.option(
    "--seconds", type=_SECONDS, default=1.0, show_default=True, metavar="S", help="Processor time of each figure."
)
@json_option
def tables(name: str, path: Path | None, seconds: float, as_json: bool) -> None:
    """Measure an endgame table, in lookups a second of one core.

    Compares lookups with reading the same memory at random.
    """
    from ...benchmark.speed.table_lookup import measure_table
    from ...solve.tables import load_table

    table = load_table(load_game(name), path)
    report = _Report(f"{name}, up to {table.pieces} pieces, {table.index.size:,} numbers", as_json)
    found = []
    for rate in measure_table(table, seconds):
        found.append(rate._asdict())
        report.line(f"  {rate.name:<56} {rate.per_second:>14,.0f}  {rate.ratio:8.4f}")
    report.finish(game=name, pieces=table.pieces, rates=found)


@bench.command(
    cls=HelpfulCommand,
    arguments={"CONFIG|GAME": "Name or path of a config; or a game, for PPO and AlphaZero with their defaults."},
    examples=["bench train ppo", "bench train fetaix --iterations 5"],
)
@click.argument("config", metavar="CONFIG|GAME")
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option(
    "--iterations",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    metavar="N",
    help="Iterations to measure, after some that do not count.",
)
@json_option
def train(config: str, overrides: tuple[str, ...], iterations: int, as_json: bool) -> None:
    """Measure training, in steps a second of whole iterations.

    Writes no files.
    """
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
            print_json({"machine": self._machine, **content})
