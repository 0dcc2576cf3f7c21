"""`alquerque openings`."""

from pathlib import Path

import click

from ...game.game import Game
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display
from ..parameters import IntRange, OutputFile, game_argument, open_match, ray_option, seed_option, spread

MAX_OPENINGS = 100_000


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("--count", type=IntRange(1, MAX_OPENINGS), default=300, metavar="N", help="Least number of openings.")
@seed_option("Seed of the random turns.", default=0)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SPEC",
    show_default="alphabeta:4, then alphabeta:8; alphabeta:2 on boards of more than 63 points",
    help="Bot that decides which openings are balanced; repeatable.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    required=True,
    metavar="FILE.jsonl",
    help="File of the list; extended if it exists.",
)
@ray_option
def openings(game: Game, count: int, seed: int, judges: tuple[str, ...], output: Path, ray: str | None) -> None:
    """Make a list of balanced openings.

    `alquerque arena` starts its matches from such lists. An opening is 8 random turns, or more when all openings of
    that length have been tried. A judge plays each opening twice against itself. It calls an opening balanced unless
    the same side wins both matches. The list has the openings that all judges call balanced.

    Ctrl-C stops; the same command resumes. With --ray the openings are judged on a cluster, with the same list.
    """
    from ...arena.openings import extend_list

    open_match(game)  # compiles the rules before the progress bar appears
    with spread(ray) as executor, Display("the same command resumes") as display:
        found = extend_list(
            output, game, count, seed=seed, judges=judges or None, watch=display.show, executor=executor
        )
    print_line(f"{output}: {len(found.lines)} balanced openings of {found.tried} tried")
