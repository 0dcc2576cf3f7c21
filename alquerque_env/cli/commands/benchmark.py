"""`alquerque benchmark`."""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import AlquerqueError, require
from ...files.atomic import write_whole
from ...game.game import load_game
from ..command import HelpfulCommand, print_line, print_report, report_console
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

if TYPE_CHECKING:
    from rich.console import Console

    from ...benchmark import Protocol, Training
    from ...benchmark.partial_result import PartialResults


@click.command(
    cls=HelpfulCommand,
    arguments={
        "AGENT": "random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS or a bot that comes with the package; the path of "
        "a checkpoint or exported player; or MODULE:NAME, a function from observation and action mask to an action.",
        "GAME": "Games to measure, or settings to check.  [default: all games that the agent plays]",
    },
    examples=[
        "benchmark greedy fetaix --quick",
        "benchmark alphabeta:4 alquerque -o result.json --picture result.png",
        "benchmark my_module:choose --name mine --library sb3-contrib --algorithm MaskablePPO --steps 200000 --seed 0",
        "benchmark my_module:choose --check mine.json",
        "benchmark alphabeta:4 -o result.json --ray",
    ],
)
@click.argument("agent", required=False, metavar="[AGENT]")
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("--name", metavar="TEXT", show_default="AGENT", help="Name of the agent in the result.")
@click.option("--library", metavar="TEXT", help="Library that trained a function, with its version.")
@click.option("--algorithm", metavar="TEXT", help="Algorithm that trained a function.")
@click.option("--steps", type=IntRange(min=0), metavar="N", help="Environment steps of a function's training.")
@seed_option("Seed of a function's training.")
@click.option("--trained-on", metavar="TEXT", help="Games of a function's training: felli_simplified, fetaix.")
@click.option("--protocol", "version", metavar="VERSION", default="v1", show_default=True, help="v1 or v2.")
@click.option("--quick", is_flag=True, help="Try an agent out; the figures are not comparable.")
@click.option("--curve", metavar="RUN[:SIMULATIONS]", help="Measure all checkpoints of a training run instead.")
@click.option("--leaderboard", type=PATH, metavar="FOLDER", help="Write a page and a chart of the results in a folder.")
@click.option("--check", type=PATH, metavar="FILE.json", help="Check a result; with AGENT, ask it again as well.")
@click.option("--record", type=PATH, metavar="FILE", help="Score recorded matches by exact values instead.")
@ray_option
@json_option
@click.option("-o", "--output", type=OutputFile(), metavar="FILE.json", help="Write the result as JSON.")
@click.option("--picture", type=PATH, metavar="FILE.png", help="Draw the result.")
def benchmark(
    agent: str | None,
    names: tuple[str, ...],
    name: str | None,
    version: str,
    quick: bool,
    curve: str | None,
    leaderboard: Path | None,
    check: Path | None,
    record: Path | None,
    ray: str | None,
    as_json: bool,
    output: Path | None,
    picture: Path | None,
    **training: Any,  # library, algorithm, steps, seed and trained_on of a function
) -> None:
    """Measure an agent by a fixed protocol.

    The agent chooses in endgames with known values and plays against a ladder of opponents. A second measurement gives
    the same figures, except for the times. One thread is used unless OMP_NUM_THREADS is set.

    With --output, Ctrl-C keeps the finished games, and the same command resumes.

    With --ray each game is measured as one task, because an agent keeps its state from one position to the next. The
    agent must be a bot: functions and engines stay on one machine.
    """
    _check_task(None if check else agent, curve, leaderboard, check, record)
    given = [option.replace("_", "-") for option, value in training.items() if value is not None]
    if given and (agent is None or check is not None):
        raise AlquerqueError(f"--{given[0]} describes a function that is measured, expected AGENT alone")
    use_one_thread()
    if record is not None:
        _score_records(record, as_json)
        return
    require("choix", "arena")
    from ...arena.figures import check_picture
    from ...benchmark import Training, load_protocol, make_leaderboard
    from ...benchmark.partial_result import PartialResults
    from ...benchmark.report.text_tables import PLAIN_WIDTH

    protocol = load_protocol(version)
    if protocol.exact is not None and (curve or picture):
        raise AlquerqueError(f"--curve and --picture show results of v1, not of {version}")
    protocol = protocol.shortened() if quick else protocol
    if leaderboard is not None:
        print_line(f"wrote {make_leaderboard(leaderboard, version)}")
    elif check is not None:
        _check_result(check, agent, names, load_protocol(version))
    else:
        if picture is not None:
            check_picture(picture)
        open_match(load_game("alquerque"))  # compiles the rules before the progress bar appears
        with PartialResults(output) as partial_results:
            asked = Training(**training) if given else None
            content, show, draw = _measure(agent, names, curve, name, asked, protocol, partial_results, ray)
            text = json.dumps(content, indent=1, ensure_ascii=False)
            if output is not None:
                write_whole(output, f"{text}\n".encode())
            if as_json:
                click.echo(text)
            else:
                show(report_console(PLAIN_WIDTH))
            partial_results.remove()
        if picture is not None:
            draw(picture)


def _check_task(agent: str | None, *others: object) -> None:
    """Refuses a command with no task or with several."""
    tasks = [each for each in (agent, *others) if each is not None]
    if not tasks:
        raise click.UsageError("missing argument 'AGENT'", click.get_current_context())
    if len(tasks) > 1:
        raise AlquerqueError(
            f"got {tasks[0]!s} and {tasks[1]!s}, expected one of AGENT, --curve RUN, --leaderboard FOLDER, "
            "--check FILE.json and --record FILE"
        )


def _score_records(path: Path, as_json: bool) -> None:
    """Prints what the steps of recorded matches lose by exact values."""
    from ...benchmark.record_scores import score_records
    from ...match.records import load_records

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


def _measure(
    agent: str | None,
    names: tuple[str, ...],
    curve: str | None,
    name: str | None,
    training: "Training | None",
    protocol: "Protocol",
    found: "PartialResults",
    ray: str | None,
) -> tuple[dict[str, Any], Callable[["Console"], None], Callable[[Path], None]]:
    """Measures an agent, or the checkpoints of a run; returns the result for JSON, and what prints and draws it."""
    from ...benchmark import run_benchmark, run_curve
    from ...benchmark.report.charts import draw_result
    from ...benchmark.report.learning_curve import curve_as_dict, draw_curve
    from ...benchmark.report.text_tables import print_curve, print_result

    if found.count:
        print_line(f"{found.count} games are already measured, in {found.path}", err=True)
    kept = f"finished games are kept in {found.path}; the same command resumes"
    with spread(ray) as executor, Display(kept if found.path else "nothing is kept without -o") as display:
        shared: dict[str, Any] = {"name": name, "watch": display.show, "partial": found, "executor": executor}
        if curve is None:
            assert agent is not None
            result = run_benchmark(agent, names, protocol, training=training, **shared)
            return result.as_dict(), partial(print_result, result), partial(draw_result, result)
        results = run_curve(curve, protocol, **shared)
        return curve_as_dict(curve, results), partial(print_curve, results), partial(draw_curve, name or curve, results)


def _check_result(path: Path, agent: str | None, names: tuple[str, ...], protocol: "Protocol") -> None:
    """Checks a result and prints what it has found to be right."""
    from ...benchmark import check_file
    from ...benchmark.check import check_choices

    results = check_file(path, protocol, note=print_line)
    for result in results:
        print_line(f"{result.name}: the numbers of {', '.join(result.games)} fit each other and the protocol")
    if agent is None:
        return
    if len(results) > 1:
        raise AlquerqueError(f"{str(path)!r} has {len(results)} results, expected one, to ask AGENT again")
    open_match(load_game("alquerque"))  # compiles the rules before the progress bar appears
    with Display("nothing is kept") as display:
        found = check_choices(results[0], agent, names, protocol, display.show)
    for name, what in found.items():
        print_line(f"{name}: {agent} {what}")
