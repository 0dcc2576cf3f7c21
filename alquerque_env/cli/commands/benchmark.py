"""`alquerque benchmark`."""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial, wraps
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

Command = Callable[..., Any]
Measurement = tuple[Callable[..., Any], Callable[..., Any], Callable[..., None]]


@click.group(cls=HelpfulGroup, invoke_without_command=True)
@click.pass_context
def benchmark(ctx: click.Context) -> None:
    """Measure agents by a fixed protocol.

    The agent chooses in positions with exact values, solves puzzles and plays against a ladder of opponents. A second
    measurement gives the same figures, except for the times. One thread is used unless OMP_NUM_THREADS is set.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _measuring(command: Command) -> Command:
    """Adds the options of a measurement.

    The command returns three functions: one that measures by a protocol, and those that make a dictionary of the result
    and print it.
    """

    @click.option("--name", metavar="TEXT", show_default="the agent or run", help="Name in the result.")
    @click.option("--quick", is_flag=True, help="Try an agent out; the figures are not comparable.")
    @ray_option
    @json_option
    @click.option("-o", "--output", type=OutputFile(), metavar="FILE.json", help="Write the result as JSON.")
    @wraps(command)
    def measuring(quick: bool, ray: str | None, as_json: bool, output: Path | None, **asked: Any) -> None:
        require("choix", "arena")
        from ...benchmark import load_protocol
        from ...benchmark.report.text_tables import PLAIN_WIDTH
        from ...benchmark.runner import PartialResults

        use_one_thread()
        protocol = load_protocol().shortened() if quick else load_protocol()
        measure, as_dict, show = command(**asked)
        open_match(load_game("alquerque"))  # compiles the rules before the progress bar appears
        with PartialResults(output) as found:
            if found.count:
                print_line(f"{found.count} games are already measured, in {found.path}", err=True)
            kept = f"finished games are kept in {found.path}; the same command resumes"
            with spread(ray) as executor, Display(kept if found.path else "nothing is kept without -o") as display:
                result = measure(protocol, watch=display.show, partial=found, executor=executor)
                text = json.dumps(as_dict(result), indent=1, ensure_ascii=False)
                if output is not None:
                    write_whole(output, f"{text}\n".encode())
                if as_json:
                    click.echo(text)
                else:
                    show(result, protocol, report_console(PLAIN_WIDTH))
            found.remove()

    return measuring


@benchmark.command(cls=HelpfulCommand)
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
    **training: Any,  # library, algorithm, steps, seed and trained_on of a function
) -> Measurement:
    """Measure an agent.

    With --output, Ctrl-C keeps the finished games, and the same command resumes.

    With --ray each game is measured as one task, because an agent keeps its state from one position to the next. The
    agent must be a bot: functions and engines stay on one machine.
    """
    from ...benchmark import Result, Training, run_benchmark
    from ...benchmark.report.text_tables import print_result

    given = Training(**training) if any(value is not None for value in training.values()) else None
    return partial(run_benchmark, agent, names, name=name, training=given), Result.as_dict, print_result


@benchmark.command(cls=HelpfulCommand)
@click.argument("folder", metavar="RUN")
@click.option("--picture", type=PATH, metavar="FILE.png", help="Draw wrong choices and rating over the training.")
@_measuring
def curve(folder: str, name: str | None, picture: Path | None) -> Measurement:
    """Measure all checkpoints of a training run.

    With --output, Ctrl-C keeps the finished checkpoints, and the same command resumes.
    """
    from ...arena.figures import check_picture
    from ...benchmark import run_curve
    from ...benchmark.report.charts import draw_curve
    from ...benchmark.report.text_tables import print_curve
    from ...benchmark.runner import curve_as_dict

    if picture is not None:
        check_picture(picture)

    def measure(protocol: Any, **progress: Any) -> Any:
        results = run_curve(folder, protocol, name=name, **progress)
        if picture is not None:
            draw_curve(name or folder, results, protocol, picture)
        return results

    return measure, partial(curve_as_dict, folder), print_curve


@benchmark.command(cls=HelpfulCommand)
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


@benchmark.command(cls=HelpfulCommand)
@click.argument("folder", metavar="FOLDER", type=PATH)
def leaderboard(folder: Path) -> None:
    """Write a page with the figures of all results in a folder."""
    require("choix", "arena")
    from ...benchmark import make_leaderboard

    print_line(f"wrote {make_leaderboard(folder)}")


@benchmark.command(cls=HelpfulCommand)
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
