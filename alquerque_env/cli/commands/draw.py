"""`alquerque draw`."""

from pathlib import Path

import click

from ...drawn.games import POINTS, SMALL, draw_game
from ...errors import AlquerqueError
from ...files.atomic import write_whole
from ...game.game_file import SUFFIX
from ..command import HelpfulCommand, print_line
from ..parameters import IntRange, OutputFile


@click.command(cls=HelpfulCommand)
@click.argument("seed", metavar="SEED", type=IntRange(0))
@click.option("--size", type=click.Choice([*POINTS]), default=SMALL, help="9 to 16 points, or 17 to 36.")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE.toml", help="Write the game file.")
def draw(seed: int, size: str, output: Path | None) -> None:
    """Draw a game at random.

    Prints the game file, or writes it for other commands, which take FILE.toml as GAME. The same seed gives the same
    game for ever.
    """
    if output is not None and output.suffix != SUFFIX:
        raise AlquerqueError(f"the file is {str(output)!r}, expected a name that ends in {SUFFIX}, as game files do")
    game = draw_game(seed, size)
    if output is None:
        click.echo(game.to_toml(), nl=False)
        return
    write_whole(output, game.to_toml().encode())
    print_line(f"{game.title}: {output}")
