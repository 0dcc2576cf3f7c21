"""`alquerque benchmark`."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import AlquerqueError, require
from ...game.game import load_game
from ..console.progress_bar import Display
from ..console.signals import orderly_end
from ..parameters import open_match, takes_json

if TYPE_CHECKING:
    from ...benchmark import Protocol

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@click.command()
@click.argument("agent", required=False)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--name", metavar="TEXT", help="What to call the agent in results.")
@click.option("--quick", is_flag=True, help="Try out whether an agent works; the figures are not comparable.")
@click.option("--curve", metavar="RUN[:SIMULATIONS]", help="Measure the checkpoints of a run, over their steps.")
@click.option(
    "--leaderboard",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Make page and picture of results.",
)
@click.option("--make-suite", metavar="GAME", hidden=True, help="Make the positions of the benchmark from a table.")
@click.option("--table", type=click.Path(path_type=Path), metavar="PATH", hidden=True, help="The table for it.")
@click.option("--make-ladder", metavar="GAME", hidden=True, help="Let the opponents of the benchmark meet.")
@takes_json
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE.json", help="Write the result, as --json has it."
)
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw the result.")
def benchmark(
    agent: str | None,
    names: tuple[str, ...],
    name: str | None,
    quick: bool,
    curve: str | None,
    leaderboard: Path | None,
    make_suite: str | None,
    table: Path | None,
    make_ladder: str | None,
    as_json: bool,
    output: Path | None,
    picture: Path | None,
) -> None:
    """Measure an agent by a fixed protocol: against exact endgames and against a ladder of opponents.

    AGENT is a bot, random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS or one that comes with the package; the path of a
    checkpoint or of an exported player; or MODULE:NAME, a function of yours from observation and action mask to an
    action. Without GAME it is measured in every game that it plays. The same agent gets the same figures again,
    but for the times. With --output, Ctrl-C keeps the games that are done, and the same command goes on. Everything is
    computed with one thread, unless OMP_NUM_THREADS says otherwise.
    """
    _check_choice(agent, curve, leaderboard, make_suite, make_ladder)
    for variable in _THREADS:
        os.environ.setdefault(variable, "1")
    require("choix", "arena")
    from ...benchmark import load_protocol, make_leaderboard

    protocol = load_protocol().shortened() if quick else load_protocol()
    with orderly_end():
        if leaderboard is not None:
            click.echo(f"wrote {make_leaderboard(leaderboard)}")
        elif make_suite is not None:
            _make_suite(make_suite, table, protocol)
        elif make_ladder is not None:
            _make_ladder(make_ladder, protocol)
        else:
            _check_output(output, picture)
            _run(agent, names, curve, name, protocol, as_json, output, picture)


def _check_choice(agent: str | None, *others: object) -> None:
    """Refuses a command that asks for nothing, or for several things."""
    chosen = [each for each in (agent, *others) if each is not None]
    if not chosen:
        raise click.UsageError("missing argument 'AGENT'", click.get_current_context())
    if len(chosen) > 1:
        raise AlquerqueError(
            f"got {chosen[0]!s} and {chosen[1]!s}, expected one of AGENT, --curve RUN and --leaderboard FOLDER"
        )


def _check_output(output: Path | None, picture: Path | None) -> None:
    """Refuses files that could not be written, before hours are spent on what they are to hold."""
    from ...arena.figures import check_picture

    if picture is not None:
        check_picture(picture)
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise AlquerqueError(f"{str(output)!r} cannot be written: it is a folder, or lies in one that does not exist")


def _run(
    agent: str | None,
    names: tuple[str, ...],
    curve: str | None,
    name: str | None,
    protocol: "Protocol",
    as_json: bool,
    output: Path | None,
    picture: Path | None,
) -> None:
    """Measures an agent, or the checkpoints of a run."""
    from ...benchmark import run_benchmark, run_curve
    from ...benchmark.partial_result import Unfinished
    from ...benchmark.report.charts import draw_result
    from ...benchmark.report.learning_curve import curve_as_dict, draw_curve
    from ...benchmark.report.text_tables import print_curve, print_result

    open_match(load_game("alquerque"))  # compiles, with a note, what every match needs
    unfinished = Unfinished(output)
    if unfinished.count:
        click.echo(f"{unfinished.count} of the games are measured already, in {unfinished.path}", err=True)
    kept = f"the games that are done are kept in {unfinished.path}; the same command goes on"
    with Display(kept if output else "nothing is kept without -o") as display:
        if curve is None:
            assert agent is not None
            result = run_benchmark(agent, names, protocol, name=name, watch=display.show, unfinished=unfinished)
        else:
            results = run_curve(curve, protocol, name=name, watch=display.show, unfinished=unfinished)
    if curve is None:
        _tell(result.as_dict(), as_json, output, lambda console: print_result(result, console))
    else:
        _tell(curve_as_dict(curve, results), as_json, output, lambda console: print_curve(results, console))
    unfinished.remove()
    if picture is not None and curve is None:
        draw_result(result, picture)
    elif picture is not None and curve is not None:
        draw_curve(name or curve, results, picture)


def _tell(content: dict[str, Any], as_json: bool, output: Path | None, show: Callable[[Any], None]) -> None:
    """Writes and prints a result."""
    from rich.console import Console

    from ...benchmark.report.text_tables import PLAIN_WIDTH
    from ...files.atomic import write_whole

    text = json.dumps(content, indent=1, ensure_ascii=False)
    if output is not None:
        write_whole(output, f"{text}\n".encode())
    if as_json:
        click.echo(text)
        return
    console = Console()
    show(console if console.is_terminal else Console(width=PLAIN_WIDTH))


def _make_suite(name: str, path: Path | None, protocol: "Protocol") -> None:
    from ...benchmark.make_suite import make_suite
    from ...solve.tables import load_table

    game = load_game(name)
    table = load_table(game, path)
    with Display() as display:
        count = make_suite(protocol, game, table, display.show)
    click.echo(f"{count} positions with up to {table.pieces} pieces in {protocol.folder}")


def _make_ladder(name: str, protocol: "Protocol") -> None:
    from rich.console import Console

    from ...arena.text_report import PLAIN_WIDTH, print_result
    from ...benchmark.ladder import make_ladder

    game = load_game(name)
    with Display() as display:
        result = make_ladder(protocol, game, display.show)
    print_result(result, Console(width=PLAIN_WIDTH))
