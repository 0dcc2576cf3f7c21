"""`alquerque export`."""

from pathlib import Path

import click

from ...bots.shipped import shipped_bots
from ...bots.trainer import load_from_trainer
from ...errors import AlquerqueError
from ..command import HelpfulCommand, print_line
from ..parameters import PATH


@click.command(
    cls=HelpfulCommand, examples=["export fetaix-small -o bot.py", "export runs/ppo-1/checkpoints/final -o bot.py"]
)
@click.argument("checkpoint", type=PATH, metavar="CHECKPOINT")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE.py", help="File to write.")
@click.option("--force", is_flag=True, help="Replace FILE.py if it exists.")
def export(checkpoint: Path, output: Path, force: bool) -> None:
    """Write a trained player as one Python file.

    The file needs Python 3.9 or newer and no packages.
    """
    if output.is_file() and not force:
        raise AlquerqueError(f"{str(output)!r} exists; --force replaces it")
    folder = shipped_bots().get(str(checkpoint), checkpoint)
    written = load_from_trainer("export")(folder, output, overwrite=force)
    print_line(f"wrote {output}, a player of {written.game.name}; play against it: python3 {output}")
