"""`alquerque site`."""

from pathlib import Path

import click

from ...game.game import games, load_game
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display
from ..parameters import PATH, games_option

FIRST = "alquerque"


@click.command(cls=HelpfulCommand)
@click.argument("folder", type=PATH, metavar="FOLDER")
@games_option("A game of the page, the first one shown first; all games without it; repeatable.")
def site(folder: Path, chosen: tuple[str, ...]) -> None:
    """Write the page for playing as files for any web server.

    Any web server or file host can serve the folder, from any path. The games are played in the browser, by the engine
    of this package in MicroPython, with the bots that need no network and no table, hints, analysis, links and match
    files. After the first visit the page works without a network, and can be installed as an app. Games have their
    default rules there.
    """
    from ...web.site.site_folder import check_folder, write_site

    check_folder(folder)
    names = chosen or tuple(games())
    found = [load_game(name) for name in dict.fromkeys(names)]
    first = found[0] if chosen else next(game for game in found if game.name == FIRST)
    with Display("nothing was written") as display:
        size = write_site(
            folder, found, first, report=lambda done, name: display.update(f"writing {name}", done, len(found))
        )
    print_line(f"wrote {folder}, {size / 1e6:.1f} MB; try it: python3 -m http.server -d {folder}")
