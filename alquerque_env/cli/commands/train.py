"""`alquerque train`."""

from pathlib import Path

import click

from ...bots.trainer import load_from_trainer


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Go on with an interrupted run.")
def train(config: Path, overrides: tuple[str, ...], resume: Path | None) -> None:
    """Train a player by self-play, as the TOML file CONFIG says. Ctrl-C saves and stops; --resume goes on."""
    load_from_trainer("train")(config, overrides, resume)
