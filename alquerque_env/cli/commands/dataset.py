"""`alquerque dataset`."""

from pathlib import Path

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ...game.observation_form import FORMS
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display
from ..parameters import FileOrFolder, IntRange, OutputFile, game_argument, seed_option

MAX_POSITIONS = 10_000_000


@click.command(
    cls=HelpfulCommand,
    examples=["dataset fetaix -o fetaix.npz", "dataset alquerque -o flat.npz --positions 1000 --observation flat"],
)
@game_argument
@click.option("-o", "--output", type=OutputFile(), required=True, metavar="FILE.npz", help="File to write.")
@click.option("--positions", type=IntRange(1, MAX_POSITIONS), default=100_000, metavar="N", help="Number of positions.")
@click.option("--observation", type=click.Choice(FORMS), default="planes", help="Form of the observations.")
@click.option(
    "--table", type=FileOrFolder(dir_okay=False), metavar="PATH", show_default="that of the game", help="Endgame table."
)
@seed_option("Seed of the draw.", default=0)
@click.option("--force", is_flag=True, help="Replace FILE.npz if it exists.")
def dataset(
    game: Game, output: Path, positions: int, observation: str, table: Path | None, seed: int, force: bool
) -> None:
    """Write positions with exact values, for supervised learning.

    Positions are drawn uniformly from an endgame table, which `alquerque solve GAME --pieces K` makes. The file is a
    NumPy archive with the arrays position, player, observation, action_mask, best, value and distance; best has a 1 for
    each action that keeps the value.
    """
    from ...solve.dataset import make_dataset, write_dataset
    from ...solve.tables import load_table

    if output.exists() and not force:
        raise AlquerqueError(f"{str(output)!r} exists; --force replaces it")
    source = load_table(game, table)

    with Display("nothing was written") as display:
        found = make_dataset(
            source,
            positions,
            seed=seed,
            observation=observation,
            report=lambda done: display.update("positions", done, positions),
        )
    write_dataset(output, game, found, overwrite=force)
    print_line(f"wrote {positions:,} positions of {game.name} with at most {source.pieces} pieces: {output}")
