"""`alquerque fetch`."""

import click

from ...files.release import PARTS, fetch as fetch_files, fetched_folder
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display


@click.command(cls=HelpfulCommand)
@click.argument("name", metavar="NAME", type=click.Choice([*PARTS]))
def fetch(name: str) -> None:
    """Fetch a table or bot that is not in the wheel.

    The files are checked by their SHA-256 and kept in the user's cache directory, where all commands find them.
    ALQUERQUE_RELEASE in the environment names the address of the files; a checkout has them, too:
    file:///home/me/alquerque-env.
    """
    with Display("nothing of the file is kept", counts=False) as display:
        found = fetch_files(name, display.show)
    print_line(f"{PARTS[name]['about']} is {f'in {fetched_folder()}' if found else 'here already'}")
