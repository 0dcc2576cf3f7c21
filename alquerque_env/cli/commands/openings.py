"""`alquerque openings`."""

from pathlib import Path

import click

from ...game.game import Game
from ..console.progress_bar import Display
from ..console.signals import orderly_end
from ..parameters import MAX_SEED, check_range, open_match, takes_game

MOST = 100_000


@click.command()
@takes_game
@click.option("--count", type=int, default=300, show_default=True, metavar="N", help="How many, at least.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Decides which are drawn.")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SPEC",
    help="Finds out which are balanced; repeatable.  [default: alphabeta:4, then alphabeta:8]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE.jsonl",
    help="The list; made longer if it exists.",
)
def openings(game: Game, count: int, seed: int, judges: tuple[str, ...], output: Path) -> None:
    """Make a list of balanced openings, such as those that come with the package for `alquerque arena`.

    Openings are 8 random turns, and more when all of a length have been drawn. A judge plays each against itself twice;
    it is balanced unless the same side wins both, and stays in the list if every judge finds it balanced. Ctrl-C stops;
    the same command goes on.
    """
    from ...arena.opening_lists import JUDGES, extend_list

    check_range("--count", count, 1, MOST)
    check_range("--seed", seed, 0, MAX_SEED)
    open_match(game)  # compiles, with a note, what every match needs
    with orderly_end(), Display("the same command goes on") as display:
        found = extend_list(output, game, count, seed=seed, judges=judges or JUDGES, watch=display.show)
    click.echo(f"{output}: {len(found.lines)} balanced openings of {found.tried} tried")
