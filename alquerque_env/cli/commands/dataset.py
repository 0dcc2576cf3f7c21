"""`alquerque dataset`."""

import shlex
from datetime import UTC, datetime
from pathlib import Path

import click

from ... import __version__
from ...engine.observation_form import ARRAYS
from ...errors import AlquerqueError, require
from ...files.atomic import write_whole
from ...files.parquet import SUFFIX
from ...game.game import Game
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display
from ..parameters import FileOrFolder, IntRange, OutputFile, game_argument, seed_option

MAX_POSITIONS = 10_000_000
DEFAULT_POSITIONS = 100_000


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("-o", "--output", type=OutputFile(), required=True, metavar="FILE", help="A .npz or .parquet to write.")
@click.option(
    "--positions",
    type=IntRange(1, MAX_POSITIONS),
    metavar="N",
    show_default=f"{DEFAULT_POSITIONS:,} without --all",
    help="Number of positions.",
)
@click.option("--all", "takes_all", is_flag=True, help="Take every position of the table instead of a draw.")
@click.option("--observation", type=click.Choice(ARRAYS), default="planes", help="Form of the observations.")
@click.option(
    "--table", type=FileOrFolder(dir_okay=False), metavar="PATH", show_default="that of the game", help="Endgame table."
)
@seed_option("Seed of the draw.", default=0)
@click.option("--force", is_flag=True, help="Replace files that exist.")
def dataset(
    game: Game,
    output: Path,
    positions: int | None,
    takes_all: bool,
    observation: str,
    table: Path | None,
    seed: int,
    force: bool,
) -> None:
    """Write positions with exact values, for supervised learning.

    Positions are drawn uniformly from an endgame table, which `alquerque solve GAME --pieces K` or `--whole` makes. The
    file is a NumPy archive with the arrays position, player, observation, action_mask, best, value, distance,
    action_known, action_value and action_distance; best has a 1 for each action that keeps the value. FILE.md beside it
    is its card, which says what each array holds, how many positions are won, and the checksum.

    A name that ends in .parquet, which needs the extra `data`, writes the same columns as Parquet, and their metadata
    by Croissant as FILE.json.
    """
    from ...solve.dataset import dataset_card, dataset_croissant, make_dataset, write_dataset
    from ...solve.tables import load_table
    from ...solve.tables.whole import count_values, large_table

    is_parquet = output.suffix == SUFFIX
    if is_parquet:
        require("pyarrow", "data")
    card, metadata = (output.with_name(f"{output.name}{ending}") for ending in (".md", ".json"))
    written = (output, card, metadata) if is_parquet else (output, card)
    if takes_all and positions is not None:
        raise AlquerqueError("--all takes every position: leave --positions out")
    if existing := next((path for path in written if path.exists() and not force), None):
        raise AlquerqueError(f"{str(existing)!r} exists; --force replaces it")
    source = large_table(game) if table is None else load_table(game, table)
    count = positions or DEFAULT_POSITIONS
    arguments = [game.command_argument, *game.option_arguments, "-o", shlex.quote(str(output))]
    arguments += [] if observation == "planes" else ["--observation", observation]
    arguments += [] if table is None else ["--table", shlex.quote(str(table))]
    arguments += ["--all"] if takes_all else ["--positions", str(count), "--seed", str(seed)]
    drawn = f"drawn uniformly with seed {seed}"
    if takes_all:
        count, drawn = count_values(source)["positions"], "all of known value in which the match goes on"
        if count > MAX_POSITIONS:
            most = f"{MAX_POSITIONS:,}"
            raise AlquerqueError(f"the table has {count:,} positions, --all writes at most {most}: give --positions")

    with Display("nothing was written") as display:
        found = make_dataset(
            source,
            None if takes_all else count,
            seed=seed,
            observation=observation,
            report=lambda done: display.update("positions", min(done, count), count),
        )
    write_dataset(output, game, found, overwrite=force)
    command = f"alquerque dataset {' '.join(arguments)}"
    write_whole(card, dataset_card(output, found, source, drawn, command, __version__).encode())
    if is_parquet:
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        write_whole(metadata, dataset_croissant(output, found, game, __version__, day).encode())
    print_line(f"wrote {len(found.value):,} positions of {game.name} with at most {source.pieces} pieces: {output}")
