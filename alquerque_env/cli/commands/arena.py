"""`alquerque arena`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...game.game import Game
from ..command import HelpfulCommand, print_json, report_console
from ..console.progress_bar import Display
from ..parameters import (
    PATH,
    OutputFile,
    game_argument,
    json_option,
    open_match,
    ray_option,
    seed_option,
    spread,
    turn_time_option,
)

if TYPE_CHECKING:
    from ...progress import Progress


def _read_sprt(_ctx: click.Context, _param: click.Parameter, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not two numbers such as 0,20") from None
    return low, high


@click.command(cls=HelpfulCommand)
@game_argument
@click.argument("specs", metavar="SPEC SPEC...", nargs=-1, required=True)
@click.option("--games", type=int, default=100, metavar="N", help="Matches of each pairing, an even number.")
@click.option("--gauntlet", is_flag=True, help="Let only the first bot play all others.")
@click.option(
    "--plies",
    type=int,
    metavar="K",
    show_default="the openings that come with the package, otherwise 8 or more",
    help="Random turns before the bots take over.",
)
@seed_option("Seed of openings, bots and intervals.", default=0)
@click.option(
    "--sprt",
    callback=_read_sprt,
    metavar="ELO0,ELO1",
    help="Stop two bots when a sequential test decides between these Elo differences.",
)
@click.option(
    "--judge",
    metavar="SPEC",
    show_default="the openings that come with the package, otherwise alphabeta:4, or alphabeta:2 on boards of more "
    "than 63 points",
    help="Bot that decides which openings are balanced.",
)
@click.option("--batch", type=int, default=64, metavar="N", help="Matches played at once, an even number.")
@click.option(
    "-o", "--output", type=OutputFile(), metavar="FILE.jsonl", help="Keep every match; resumes if the file exists."
)
@turn_time_option
@ray_option
@json_option
@click.option("--picture", type=PATH, metavar="FILE.png", help="Draw the cross-table.")
def arena(
    game: Game,
    specs: tuple[str, ...],
    sprt: tuple[float, float] | None,
    output: Path | None,
    ray: str | None,
    as_json: bool,
    picture: Path | None,
    **chosen: Any,
) -> None:
    """Let bots play each other and rate them.

    Every opening is played twice, once from each seat. Openings that one side wins anyway are left out where enough
    others exist. Ratings are Elo points with 95% intervals; `random` has 0 if it takes part.

    Ctrl-C stops; with -o the same command resumes.

    With --ray batches are played on a cluster, with the same result. With --seconds the result depends on the speed of
    the machines, so that no second run need repeat it.
    """
    from ...arena import Question, Settings, play_arena
    from ...arena.figures import check_picture
    from ...arena.report import PLAIN_WIDTH, draw_cross_table, print_result

    settings = Settings(sprt=None if sprt is None else Question(*sprt), **chosen)
    if picture is not None:
        check_picture(picture)
    open_match(game)  # compiles the rules before the progress bar appears
    stopped = "nothing is kept without -o" if output is None else "the same command resumes"
    with spread(ray) as executor, Display(stopped) as display:
        result = play_arena(game, specs, settings, output=output, executor=executor, watch=_watch(display))
    if as_json:
        print_json(result.as_dict())
    else:
        print_result(result, report_console(PLAIN_WIDTH))
    if picture is not None:
        draw_cross_table(result, picture)


def _watch(display: Display) -> Callable[["Progress"], None]:
    """Shows progress, and once how many matches an earlier run has played."""
    before = ""

    def watch(progress: "Progress") -> None:
        nonlocal before
        if progress.what == "matches played" != before and progress.done:
            display.note(f"resuming after {progress.done} of {progress.count} matches")
        before = progress.what
        display.show(progress)

    return watch
