"""`alquerque games`."""

import click

from ...game import game as library
from ..command import HelpfulCommand, print_json
from ..parameters import json_option


@click.command(cls=HelpfulCommand, examples=["games", "games --json"])
@json_option
def games(as_json: bool) -> None:
    """List the games.

    Prints the id of each game, which other commands take as GAME, and its title.
    """
    titles = {name: library.load_game(name).title for name in library.games()}
    if as_json:
        print_json({"games": [{"name": name, "title": title} for name, title in titles.items()]})
        return
    width = max(map(len, titles))
    for name, title in titles.items():
        click.echo(f"{name:<{width}}  {title}")
