"""`alquerque plot`."""

from pathlib import Path

import click

from ...bots.trainer import load_from_trainer
from ..command import HelpfulCommand, print_line
from ..parameters import PATH


@click.command(cls=HelpfulCommand)
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "-o", "--output", type=PATH, metavar="FILE.png|FOLDER", show_default="RUN/plot.png", help="Where to write."
)
def plot(run: Path, output: Path | None) -> None:
    """Draw the curves of a training run.

    Draws strength, outcomes, losses and speed over the steps.
    """
    print_line(f"wrote {load_from_trainer('plot')(run, output)}")
