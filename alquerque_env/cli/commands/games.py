"""`alquerque games`."""

import json

import click

from ...game import game as library
from ..parameters import takes_json


@click.command()
@takes_json
def games(as_json: bool) -> None:
    """List the games: their ids, by which other commands know them, and titles."""
    titles = {name: library.load_game(name).title for name in library.games()}
    if as_json:
        listed = [{"name": name, "title": title} for name, title in titles.items()]
        click.echo(json.dumps({"games": listed}, indent=2))
        return
    width = max(len(name) for name in titles)
    for name, title in titles.items():
        click.echo(f"{name:<{width}}  {title}")
