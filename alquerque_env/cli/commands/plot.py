"""`alquerque plot`."""

from pathlib import Path

import click

from ...bots.trainer import load_from_trainer


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.png|FOLDER",
    help="Picture to write, or where; plot.png in RUN if not given.",
)
def plot(run: Path, output: Path | None) -> None:
    """Draw how the run in the folder RUN went: strength, outcomes, losses and speed over the steps."""
    click.echo(f"wrote {load_from_trainer('plot')(run, output)}")
