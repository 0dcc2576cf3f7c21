"""`alquerque bench`: a group of commands, one for each thing that is measured."""

import platform
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from ...bots.trainer import load_from_trainer
from ...game.game import Game, games, load_game
from ...processors import count_processors
from ..command import HelpfulCommand, print_json
from ..parameters import Command, FloatRange, IntRange, json_option

if TYPE_CHECKING:
    from ...benchmark.speed.env_speed import EnvSpeed, Figure

DEFAULT_GAME = "alquerque"


def _seconds(default: float, help_text: str = "Processor time of each figure.") -> Callable[[Command], Command]:
    seconds = FloatRange(0.01, 600)
    return click.option("--seconds", type=seconds, default=default, metavar="S", help=help_text)


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
    arguments={"GAME": "Games to measure in detail: ids or game files.  [default: a table of all games]"},
    examples=["bench env", "bench env --seconds 0.5", "bench env fetaix --seconds 1 --json"],
)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@_seconds(2.0)
@click.option(
    "--device", metavar="DEVICE", help="Measure the backend 'torch' on this device too, by the clock: cpu or cuda."
)
@json_option
def env(names: tuple[str, ...], seconds: float, device: str | None, as_json: bool) -> None:
    """Measure the environments, in steps per second of one core.

    Compares them with other libraries where they are installed: OpenSpiel's checkers, stepped from Python and in
    rollouts in C++, Pgx's connect four, Ludax's English draughts, and PettingZoo's chess and connect four.

    Without GAME prints a line for each game of the package: the steps of 4096 matches at once with masks and
    observations, random matches, and the steps of the PettingZoo environment, each with its ratio to the peers. With
    GAME prints every figure of a game, also beside an environment that does nothing, the upper limit of the framework.
    """
    from ...benchmark.speed.env_speed import EnvSpeed
    from ...benchmark.speed.peers import list_missing

    report = _Report(f"steps a second of one core; Python {platform.python_version()}", as_json)
    speed = EnvSpeed(device)
    missing = list_missing(speed.peers)
    found: dict[str, list[Figure]] = {}
    table = None if names else _GameTable(speed)
    if table is not None:
        report.line(table.heading)
    for game in [load_game(name) for name in names or games()]:
        found[game.argument] = []
        if table is None:
            report.line(f"\n{game.argument}")
            for figure in speed.measure(game, seconds):
                found[game.argument].append(figure)
                report.line(_figure_line(figure))
        else:
            found[game.argument] = list(speed.sum_up(game, seconds))
            report.line(table.row(game, found[game.argument]))
    report.line("")
    if table is not None:
        for line in table.peer_lines(found.values()):
            report.line(line)
    for line in missing:
        report.line(line)
    report.finish(
        seconds=seconds,
        games={name: [figure._asdict() for figure in figures] for name, figures in found.items()},
        not_installed=missing,
    )


def _figure_line(figure: "Figure") -> str:
    ratios = ", ".join(f"{_short(ratio)} x {peer}" for peer, ratio in figure.ratios.items())
    return f"  {figure.name:<64} {figure.steps_per_second:>13,.0f}  {ratios}".rstrip()


class _GameTable:
    """A line for each game: what `EnvSpeed.sum_up` measures, and how many times as fast as each peer it is."""

    def __init__(self, speed: "EnvSpeed") -> None:
        from ...benchmark.speed import env_speed

        self._names = env_speed.VECTOR, env_speed.RANDOM_MATCHES, env_speed.ENV
        peers = speed.batch_peers, speed.rollout_peers, speed.aec_peers
        self._peers = [[peer.short for peer in group] for group in peers]
        titles = "4096 matches", "random matches/s", "env()"
        columns = [(title, *(f"x {peer}" for peer in group)) for title, group in zip(titles, self._peers, strict=True)]
        self._titles = [title for group in columns for title in group]

    @property
    def heading(self) -> str:
        """The titles of the columns."""
        return f"{'game':<28}{'points':>6}" + "".join(f"  {title:>11}" for title in self._titles)

    def row(self, game: Game, figures: Sequence["Figure"]) -> str:
        """The line of a game."""
        by_name = {figure.name: figure for figure in figures}
        beside = next((figure for figure in figures if figure.matches_per_second and not figure.ratios), None)
        cells: list[str] = []
        for name, peers in zip(self._names, self._peers, strict=True):
            figure = by_name[name]
            matches = figure.matches_per_second
            if matches is None:
                cells += [f"{figure.steps_per_second:,.0f}", *(_short(figure.ratios[peer]) for peer in peers)]
            else:
                cells.append(f"{matches:,.0f}")
                if beside is not None and beside.matches_per_second:
                    cells.append(_short(matches / beside.matches_per_second))
        widths = (max(11, len(title)) for title in self._titles)
        row = "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        return f"{game.argument:<28}{len(game.board.points):>6}{row}"

    def peer_lines(self, measured: Iterable[Sequence["Figure"]]) -> Iterator[str]:
        """A line for each peer: the median of its figures beside the games."""
        speeds: dict[str, list[Figure]] = {}
        for figure in (each for figures in measured for each in figures if not each.ratios):
            if figure.name not in self._names:
                speeds.setdefault(figure.name, []).append(figure)
        for name, figures in speeds.items():
            speed = statistics.median(figure.steps_per_second for figure in figures)
            length = figures[0].steps_per_match
            matches = "" if length is None else f" ({speed / length:,.0f} matches/s of {length:.0f} steps)"
            yield f"  {name:<64} {speed:>13,.0f}{matches}"


@bench.command(
    cls=HelpfulCommand,
    arguments={"GAME": f"Games to measure.  [default: {DEFAULT_GAME}]"},
    examples=["bench search alquerque --network mlp", "bench search fetaix --games 256 --processes 2"],
)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@_seconds(1.0, "Time of each figure.")
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
    type=IntRange(1, 65_536),
    multiple=True,
    metavar="N",
    show_default="64, 256 and 1024",
    help="Games at once; repeatable.",
)
@click.option(
    "--processes",
    type=IntRange(1, 256),
    default=min(2, count_processors()),
    metavar="N",
    help="Processes at once in the last figure.",
)
@json_option
def search(names: tuple[str, ...], seconds: float, processes: int, as_json: bool, **chosen: tuple[Any, ...]) -> None:
    """Measure self-play with a search, in simulations per second.

    Measures one process with one thread by its processor time (a GPU by the clock) beside the network alone, and then
    the fastest setting in several processes at once.
    """
    games = [load_game(name) for name in names or (DEFAULT_GAME,)]
    measured = load_from_trainer("search_speed")
    report = _Report(f"Gumbel search, {measured.SIMULATIONS} simulations per decision, one thread", as_json)
    report.line(
        "ratio: simulations/s to network alone/s; of peak (mlp without search features only): operations/s of "
        "the network alone to those of large matrix products"
    )
    found: dict[str, Any] = {}
    for game in games:
        report.line(f"\n{game.argument}\n{_heading(64, SEARCH_COLUMNS)}")
        figures = []
        for figure in measured.measure_search(game, seconds, **chosen):
            figures.append(figure)
            name = f"{figure.network} {figure.precision} {figure.device}, {figure.games} games"
            report.line(_row(f"{name:<64}", figure, SEARCH_COLUMNS))
        together = measured.measure_together(game, figures, seconds, processes)
        report.line(
            f"  {together.network} {together.precision}, {together.games} games in each of {processes} processes: "
            f"{together.simulations_per_second:,.0f} simulations/s by processor time, "
            f"{together.simulations_per_clock_second:,.0f} by the clock"
        )
        found[game.argument] = {"figures": [each._asdict() for each in figures], "together": together._asdict()}
    report.finish(seconds=seconds, games=found)


def _short(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}" if ratio < 10 else f"{ratio:.1f}"


# Heading, attribute of the figure, and format of each column.
SEARCH_COLUMNS = (
    ("simulations/s", "simulations_per_second", ",.0f"),
    ("by the clock", "simulations_per_clock_second", ",.0f"),
    ("decisions/s", "decisions_per_second", ",.0f"),
    ("in network", "network_share", ".1%"),
    ("network alone/s", "evaluations_per_second", ",.0f"),
    ("ratio", "ratio", ".2f"),
    ("of peak", "peak_share", ".2%"),
)


def _heading(indent: int, columns: Sequence[tuple[str, str, str]]) -> str:
    return " " * (indent + 2) + "".join(f"{title:>{len(title) + 4}}" for title, _, _ in columns)


def _row(name: str, figure: Any, columns: Sequence[tuple[str, str, str]]) -> str:
    values = ((len(title) + 4, getattr(figure, attribute), form) for title, attribute, form in columns)
    return f"  {name}" + "".join(f"{'' if value is None else format(value, form):>{w}}" for w, value, form in values)


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
