"""`alquerque mcp`."""

from pathlib import Path

import click

from ...errors import AlquerqueError
from ...files.atomic import remove_partials
from ...files.user_folders import user_state_folder
from ...game.game import load_game
from ..command import HelpfulCommand, print_line
from ..console.signals import end_at_once
from ..parameters import FileOrFolder, games_option, step_time_option


@click.command(cls=HelpfulCommand)
@click.option(
    "--folder",
    type=FileOrFolder(file_okay=False),
    metavar="PATH",
    show_default="mcp in the user's state folder",
    help="Folder of the records; it is made if it does not exist.",
)
@games_option("Also offer this game file; repeatable.")
@step_time_option(10.0)
def mcp(folder: Path | None, chosen: tuple[str, ...], seconds: float) -> None:
    """Let a language model play.

    Serves MCP, the Model Context Protocol, on standard input and output: tools that begin a match against a bot, show
    it, play, undo and resign. Each match is kept as a record in a file, which is written after every turn.
    """
    from ..mcp.mcp_server import Server, Tools

    own = [load_game(name) for name in chosen]
    if shipped := next((game.name for game in own if not game.file_text), None):
        raise AlquerqueError(f"{shipped!r} comes with the package and is offered anyway: --game takes game files")
    kept = folder or user_state_folder() / "mcp"
    server = Server(Tools(own, kept, seconds))
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{error.strerror or error}; choose another by --folder"
        raise AlquerqueError(f"cannot make the folder of the records, {kept}: {reason}") from None
    remove_partials(kept, days=1)  # of a process that was killed while it wrote
    with end_at_once():
        print_line(f"Serving MCP on standard input and output; matches are kept in {kept}", err=True)
        server.run()
