"""`alquerque games`."""

import click

from ...game import game as library
from ..command import HelpfulCommand, print_report
from ..console.capabilities import align
from ..parameters import json_option


@click.command(cls=HelpfulCommand)
@json_option
def games(as_json: bool) -> None:
    """List the games.

    Prints the id of each game, which other commands take as GAME, and its title.
    """
    titles = {name: library.load_game(name).title for name in library.games()}
    listed = [{"name": name, "title": title} for name, title in titles.items()]
    print_report({"games": listed}, align(titles.items()), as_json=as_json)
