"""`alquerque train`, `plot` and `export`: the doors to the package `training`, which needs the extra `train`."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from ..bots.shipped import shipped_bots
from ..errors import AlquerqueError
from ..render import MissingExtraError
from .program import OWN_PACKAGES


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Go on with an interrupted run.")
def train(config: Path, overrides: tuple[str, ...], resume: Path | None) -> None:
    """Train a player by self-play, as the TOML file CONFIG says. Ctrl-C saves and stops; --resume goes on."""
    import_training("training.train").train(config, overrides, resume)


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
    click.echo(f"wrote {import_training('training.plot').plot_run(run, output)}")


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
    written = import_training("training.export").export_player(folder, output, overwrite=force)
    click.echo(f"wrote {output}, a player of {written.game.name}; play against it: python3 {output}")


def import_training(module: str) -> ModuleType:
    """Imports a module of `training`.

    Raises:
      MissingExtraError: If a package that it needs is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in OWN_PACKAGES:
            raise
        raise MissingExtraError(package, "train") from None
