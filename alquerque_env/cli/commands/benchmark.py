"""`alquerque benchmark`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from ...errors import AlquerqueError, require
from ...files.atomic import write_whole
from ...game.game import load_game
from ..command import HelpfulCommand, HelpfulGroup, print_line, print_report, report_console
from ..console.progress_bar import Display
from ..parameters import (
    PATH,
    IntRange,
    OutputFile,
    json_option,
    open_match,
    ray_option,
    seed_option,
    spread,
    use_one_thread,
)

AGENT = (
    "random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS or a bot that comes with the package; the path of a checkpoint "
    "or exported player; or MODULE:NAME, a function from observation and action mask to an action."
)

Command = Callable[..., None]


@click.group(
    cls=HelpfulGroup,
    invoke_without_command=True,
    examples=["benchmark run fetaix-small fetaix -o result.json", "benchmark check result.json"],
)
@click.pass_context
def benchmark(ctx: click.Context) -> None:
    """Measure agents by a fixed protocol.

    The agent chooses in positions with exact values, solves puzzles and plays against a ladder of opponents. A second
    measurement gives the same figures, except for the times. One thread is used unless OMP_NUM_THREADS is set.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _measuring(command: Command) -> Command:
    options = [
        click.option("--name", metavar="TEXT", show_default="the agent or run", help="Name in the result."),
        click.option("--quick", is_flag=True, help="Try an agent out; the figures are not comparable."),
        ray_option,
        json_option,
        click.option("-o", "--output", type=OutputFile(), metavar="FILE.json", help="Write the result as JSON."),
        click.option("--picture", type=PATH, metavar="FILE.png", help="Draw the result."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@benchmark.command(
    cls=HelpfulCommand,
    arguments={"AGENT": AGENT, "GAME": "Games to measure.  [default: all games that the agent plays]"},
    examples=[
        "benchmark run greedy fetaix --quick",
        "benchmark run alphabeta:4 alquerque -o result.json --picture result.png",
        "benchmark run my_module:choose --name mine --library sb3-contrib --algorithm MaskablePPO --steps 200000",
        "benchmark run alphabeta:4 -o result.json --ray",
    ],
)
@click.argument("agent", metavar="AGENT")
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--library", metavar="TEXT", help="Library that trained a function, with its version.")
@click.option("--algorithm", metavar="TEXT", help="Algorithm that trained a function.")
@click.option("--steps", type=IntRange(min=0), metavar="N", help="Environment steps of a function's training.")
@seed_option("Seed of a function's training.")
@click.option("--trained-on", metavar="TEXT", help="Games of a function's training: felli_simplified, fetaix.")
@_measuring
def run(
    agent: str,
    names: tuple[str, ...],
    name: str | None,
    quick: bool,
    ray: str | None,
    as_json: bool,
    output: Path | None,
    picture: Path | None,
    **training: Any,  # library, algorithm, steps, seed and trained_on of a function
) -> None:
    """Measure an agent.

    With --output, Ctrl-C keeps the finished games, and the same command resumes.

    With --ray each game is measured as one task, because an agent keeps its state from one position to the next. The
    agent must be a bot: functions and engines stay on one machine.
    """
    from ...benchmark import Training, run_benchmark
    from ...benchmark.report.charts import draw_result
    from ...benchmark.report.text_tables import print_result

    given = any(value is not None for value in training.values())
    with _measurement(quick, ray, output, picture) as shared:
        protocol = shared.pop("protocol")
        asked = Training(**training) if given else None
        result = run_benchmark(agent, names, protocol, name=name, training=asked, **shared)
        _write(result.as_dict(), output, as_json, partial(print_result, result, protocol))
    if picture is not None:
        draw_result(result, protocol, picture)


@benchmark.command(
    cls=HelpfulCommand,
    arguments={"RUN": "Folder of a training run, with an optional :SIMULATIONS."},
    examples=["benchmark curve runs/fetaix --picture curve.png", "benchmark curve runs/fetaix:64 -o curve.json"],
)
@click.argument("folder", metavar="RUN")
@_measuring
def curve(
    folder: str,
    name: str | None,
    quick: bool,
    ray: str | None,
    as_json: bool,
    output: Path | None,
    picture: Path | None,
) -> None:
    """Measure all checkpoints of a training run.

    With --output, Ctrl-C keeps the finished checkpoints, and the same command resumes.
    """
    from ...benchmark import run_curve
    from ...benchmark.report.charts import draw_curve
    from ...benchmark.report.text_tables import print_curve
    from ...benchmark.runner import curve_as_dict

    with _measurement(quick, ray, output, picture) as shared:
        protocol = shared.pop("protocol")
        results = run_curve(folder, protocol, name=name, **shared)
        _write(curve_as_dict(folder, results), output, as_json, partial(print_curve, results, protocol))
    if picture is not None:
        draw_curve(name or folder, results, protocol, picture)


@contextmanager
def _measurement(quick: bool, ray: str | None, output: Path | None, picture: Path | None) -> Iterator[dict[str, Any]]:
    """What all measurements share: the protocol, earlier results, the executor and the display of the progress."""
    require("choix", "arena")
    from ...arena.figures import check_picture
    from ...benchmark import load_protocol
    from ...benchmark.runner import PartialResults

    use_one_thread()
    protocol = load_protocol()
    if picture is not None:
        check_picture(picture)
    open_match(load_game("alquerque"))  # compiles the rules before the progress bar appears
    with PartialResults(output) as found:
        if found.count:
            print_line(f"{found.count} games are already measured, in {found.path}", err=True)
        kept = f"finished games are kept in {found.path}; the same command resumes"
        with spread(ray) as executor, Display(kept if found.path else "nothing is kept without -o") as display:
            yield {
                "protocol": protocol.shortened() if quick else protocol,
                "watch": display.show,
                "partial": found,
                "executor": executor,
            }
        found.remove()


def _write(content: dict[str, Any], output: Path | None, as_json: bool, show: Callable[..., None]) -> None:
    from ...benchmark.report.text_tables import PLAIN_WIDTH

    text = json.dumps(content, indent=1, ensure_ascii=False)
    if output is not None:
        write_whole(output, f"{text}\n".encode())
    if as_json:
        click.echo(text)
    else:
        show(report_console(PLAIN_WIDTH))


@benchmark.command(
    cls=HelpfulCommand,
    arguments={
        "FILE": "A result.",
        "GAME": "Games or settings, as the result names them, in which AGENT is asked.  [default: all]",
    },
    examples=["benchmark check mine.json", "benchmark check mine.json --agent my_module:choose"],
)
@click.argument("path", metavar="FILE", type=PATH)
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--agent", metavar="AGENT", help="Ask this agent again, and compare its choices.")
def check(path: Path, names: tuple[str, ...], agent: str | None) -> None:
    """Check a result.

    Its answers must be possible, and what it says that they lose is computed again. With --agent the agent is asked in
    the same positions. This runs its code.
    """
    from ...benchmark import check_file, load_protocol
    from ...benchmark.check import check_choices

    if names and agent is None:
        raise AlquerqueError(f"{names[0]!r} is where an agent is asked again: give --agent too")
    use_one_thread()
    protocol = load_protocol()
    results = check_file(path, protocol, note=print_line)
    for result in results:
        print_line(f"{result.name}: the answers in {', '.join(result.games)} fit the protocol")
    if agent is None:
        return
    if len(results) > 1:
        raise AlquerqueError(f"{str(path)!r} has {len(results)} results, expected one, to ask AGENT again")
    open_match(load_game("alquerque"))  # compiles the rules before the progress bar appears
    with Display("nothing is kept") as display:
        found = check_choices(results[0], agent, names, protocol, display.show)
    for name, what in found.items():
        print_line(f"{name}: {agent} {what}")


@benchmark.command(
    cls=HelpfulCommand, arguments={"FOLDER": "Folder of results."}, examples=["benchmark leaderboard benchmarks/"]
)
@click.argument("folder", metavar="FOLDER", type=PATH)
def leaderboard(folder: Path) -> None:
    """Write a page with the figures of all results in a folder."""
    require("choix", "arena")
    from ...benchmark import make_leaderboard

    print_line(f"wrote {make_leaderboard(folder)}")


@benchmark.command(
    cls=HelpfulCommand,
    arguments={"FILE": "File of recorded matches."},
    examples=["benchmark record matches.pdn", "benchmark record matches.pdn --json"],
)
@click.argument("path", metavar="FILE", type=PATH)
@json_option
def record(path: Path, as_json: bool) -> None:
    """Score recorded matches by exact values."""
    from ...arena.exact_errors import score_records
    from ...match.records import load_records

    use_one_thread()
    found = score_records(load_records(path, tell=partial(print_line, err=True)))
    if not found:
        raise AlquerqueError(f"{str(path)!r} has no matches that can be read")
    lines = []
    for each in found:
        line = f"{each.player}, {each.game}: {each.moves} steps in {each.matches} matches, {each.known} of known value"
        if each.regret is not None:
            line += f"; regret {each.regret:.4f} a step"
        if each.critical is not None:
            wrong = each.critical.wrong
            line += (
                f"; wrong in {wrong.value:.1%} ({wrong.low:.1%} to {wrong.high:.1%}) of {each.critical.positions} "
                f"where some step loses value, random steps in {each.critical.chance:.1%}"
            )
        lines.append(f"{line}.")
    print_report({"record": str(path), "players": [asdict(each) for each in found]}, lines, as_json=as_json)
