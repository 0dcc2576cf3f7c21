"""`alquerque arena`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ..console.progress_bar import Display
from ..console.signals import orderly_end
from ..parameters import open_match, takes_game, takes_json

if TYPE_CHECKING:
    from ...arena import ArenaResult, Progress, Question


@click.command()
@takes_game
@click.argument("specs", metavar="SPEC SPEC...", nargs=-1, required=True)
@click.option("--games", type=int, default=100, show_default=True, metavar="N", help="Matches of each pairing, even.")
@click.option("--gauntlet", is_flag=True, help="The first bot against all others only.")
@click.option(
    "--plies",
    type=int,
    metavar="K",
    help="Random turns before the bots take over.  [default: those of the openings that come with the package, else 8, "
    "and more where too few are balanced]",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="The same seed, the same result.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Two bots: stop when it is decided which of the two holds.")
@click.option(
    "--judge",
    metavar="SPEC",
    help="Finds out which openings are balanced.  [default: openings that come with the package, else alphabeta:4]",
)
@click.option("--batch", type=int, default=64, show_default=True, metavar="N", help="Matches at once, even.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help="Keep every match; go on if it exists.",
)
@click.option(
    "--seconds", type=float, metavar="S", help="For a turn of alphabeta, mcts, ugi:COMMAND or an exported player."
)
@takes_json
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw the cross-table.")
def arena(
    game: Game,
    specs: tuple[str, ...],
    games: int,
    gauntlet: bool,
    plies: int | None,
    seed: int,
    sprt: str | None,
    judge: str | None,
    batch: int,
    output: Path | None,
    seconds: float | None,
    as_json: bool,
    picture: Path | None,
) -> None:
    """Let bots play against each other and rate them.

    SPEC is random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, ugi:COMMAND for an engine, which has five seconds for a
    turn without --seconds, or the path of a trained player. Every opening is played from both seats; openings that are
    decided already are left out where there are enough others. Ratings are in Elo points, with random at 0 if it takes
    part. Ctrl-C stops; with -o the same command goes on.
    """
    from ...arena import Settings, play_arena
    from ...arena.cross_table_plot import draw_cross_table
    from ...arena.figures import check_picture

    question = None if sprt is None else _read_question(sprt)
    settings = Settings(
        games=games,
        gauntlet=gauntlet,
        plies=plies,
        seed=seed,
        judge=judge,
        batch=batch,
        seconds=seconds,
        sprt=question,
    )
    if picture is not None:
        check_picture(picture)
    open_match(game)  # compiles, with a note, what every match needs
    stopped = "nothing is kept without -o" if output is None else "the same command goes on"
    with orderly_end(), Display(stopped) as display:
        result = play_arena(game, specs, settings, output=output, watch=_watch(display))
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2))
    else:
        _print_tables(result)
    if picture is not None:
        draw_cross_table(result, picture)


def _watch(display: Display) -> Callable[["Progress"], None]:
    """What shows how far an arena is, and before its matches, how many of them had been played already."""
    stage = ""

    def watch(progress: "Progress") -> None:
        nonlocal stage
        if progress.stage == "matches" != stage and progress.done:
            display.note(f"going on after {progress.done} of {progress.count} matches")
        stage = progress.stage
        display.show(progress)

    return watch


def _print_tables(result: "ArenaResult") -> None:
    from rich.console import Console

    from ...arena.text_report import PLAIN_WIDTH, print_result

    console = Console()
    print_result(result, console if console.is_terminal else Console(width=PLAIN_WIDTH))


def _read_question(text: str) -> "Question":
    from ...arena import Question

    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise AlquerqueError(f"--sprt is {text!r}, expected two numbers ELO0,ELO1, such as 0,20") from None
    return Question(low, high)
