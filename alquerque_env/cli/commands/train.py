"""`alquerque train`."""

from pathlib import Path

import click

from ...bots.trainer import load_from_trainer
from ...errors import AlquerqueError


@click.command()
@click.argument("config")
@click.argument("overrides", nargs=-1, metavar="[SECTION.KEY=VALUE]...")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Continue an interrupted run.")
@click.option("--print-config", is_flag=True, help="Print all settings as TOML, defaults included, and exit.")
def train(config: str, overrides: tuple[str, ...], resume: Path | None, print_config: bool) -> None:
    """Train a player by self-play.

    CONFIG is the name of a config that comes with the package, such as quickstart, or the path of a TOML file. Ctrl-C
    saves and stops; --resume continues.
    """
    if not print_config:
        load_from_trainer("train")(config, overrides, resume)
    elif resume is not None:
        raise AlquerqueError("--print-config does not go with --resume")
    else:
        click.echo(load_from_trainer("load_config")(config, overrides).toml())
