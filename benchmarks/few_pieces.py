"""Makes the endgame tables of few pieces that come with the package: for each game the largest one that is small.

    python benchmarks/few_pieces.py alquerque fetaix

They are written to `alquerque_env/solve/few/`, in place of those of the same games that are there. Games whose whole
table comes with the package are left out, unless that is too large for the static page. Without arguments it makes
those of all games that have one there.
"""

import sys
import tempfile
from pathlib import Path

import click

from alquerque_env import load_game
from alquerque_env.cli.console.signals import terminate_as_ctrl_c
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_env.solve.tables.build import build_table, plan
from alquerque_env.solve.tables.index import least_pieces
from alquerque_env.solve.tables.table_file import FEW, SUFFIX, WHOLE, table_name
from alquerque_env.solve.tables.whole import whole_pieces

LARGEST = 450 * 1000  # bytes of a table
MOST_POSITIONS = 10_000_000  # of a table, so that it opens at once


def largest_table(game: Game, folder: Path) -> Path | None:
    """The table with the most pieces that is small, built in a folder; None if none is small."""
    found = None
    for pieces in range(least_pieces(game), whole_pieces(game)):
        if plan(game, pieces, float("inf")).size > MOST_POSITIONS:
            break
        path = build_table(game, pieces, folder / table_name(game, pieces))
        if path.stat().st_size > LARGEST:
            break
        found = path
    return found


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Makes the tables of few pieces."""
    FEW.mkdir(exist_ok=True)
    for name in names or sorted({path.name.partition("-")[0] for path in FEW.glob(f"*{SUFFIX}")}):
        game = load_game(name)
        most = whole_pieces(game)
        if (WHOLE / table_name(game, most)).exists() and plan(game, most, float("inf")).size <= MOST_POSITIONS:
            click.echo(f"{name}: its whole table comes with the package")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = largest_table(game, Path(folder))
            for old in FEW.glob(f"{name}-*{SUFFIX}"):
                old.unlink()
            if path is None:
                click.echo(f"{name}: no table is small enough")
            else:
                write_whole(FEW / path.name, path.read_bytes())
                click.echo(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    try:
        with terminate_as_ctrl_c():
            main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except AlquerqueError as error:
        sys.exit(f"error: {error}")
    except (KeyboardInterrupt, click.Abort):
        sys.exit("stopped")
