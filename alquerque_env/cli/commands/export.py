"""`alquerque export`."""

from pathlib import Path

import click

from ...bots.shipped import shipped_bots
from ...bots.trainer import load_from_trainer
from ...errors import AlquerqueError


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FILE.py", help="File to write."
)
@click.option("--force", is_flag=True, help="Replace FILE.py if it exists.")
def export(checkpoint: Path, output: Path, force: bool) -> None:
    """Write a trained player as one Python file that needs nothing but Python.

    CHECKPOINT is its folder, or the name of a bot that comes with the package, such as fetaix-small.
    """
    if output.is_file() and not force:
        raise AlquerqueError(f"{str(output)!r} exists; --force replaces it")
    folder = shipped_bots().get(str(checkpoint), checkpoint)
    written = load_from_trainer("export")(folder, output, overwrite=force)
    click.echo(f"wrote {output}, a player of {written.game.name}; play against it: python3 {output}")
