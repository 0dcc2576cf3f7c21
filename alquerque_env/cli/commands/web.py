"""`alquerque web`."""

import os
import socket
import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from ...bots import load_bot
from ...bots.levels import levels
from ...engine.forms import BOTS, ENVIRONMENTS, uses_compiled
from ...errors import AlquerqueError
from ...game.game import load_game
from ...match.match import Match
from ...progress import in_daemon_thread
from ..command import HelpfulCommand
from ..console.memory import return_freed_memory
from ..console.signals import exit_on_signals, run_interruptible
from ..parameters import IntRange, games_option, step_time_option

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8008
BACKLOG = 512  # connections that wait to be accepted

# Ports that are tried when no port is given and the default one is in use.
_TRIES = 20


@click.command(cls=HelpfulCommand)
@click.option(
    "--port",
    type=IntRange(1, 65_535),
    metavar="N",
    show_default=f"{DEFAULT_PORT} or the next free one",
    help="Port of the server.",
)
@click.option("--no-browser", is_flag=True, help="Print the address without opening it.")
@games_option("Begin with this game, and offer it if it is a file; repeatable.")
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="Also offer this bot as an opponent; repeatable.")
@click.option(
    "--checkpoints",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Let the page open checkpoints below this folder, such as runs; repeatable.",
)
@step_time_option(2.0)
def web(
    port: int | None,
    no_browser: bool,
    chosen: tuple[str, ...],
    bots: tuple[str, ...],
    folders: tuple[Path, ...],
    seconds: float,
) -> None:
    """Play in the browser.

    Serves a page on this machine, with all games, bots of several strengths, hints, analysis and match files. Ctrl-C
    stops the server.
    """
    from ...web.app import make_app  # raises an error if the extra `web` is not installed
    from ...web.bot_pool import playable_games
    from ...web.server import make_server
    from ...web.server_host import Catalogue

    return_freed_memory()
    given = [load_game(name) for name in chosen]
    catalogue = Catalogue([game for game in given if game.file_text], next(iter(given), None))
    playable = partial(playable_games, games=catalogue.games.values())
    offered = {spec: run_interruptible(partial(playable, spec), f"loading {spec} ...") for spec in bots}
    listener = listen(port)
    address = f"http://{LOOPBACK}:{listener.getsockname()[1]}/"
    app = partial(make_app, catalogue=catalogue, offered=offered, seconds=seconds, checkpoints=folders)
    server = make_server(app)
    click.echo(f"The page is at {address} (Ctrl-C stops the server)")
    compiled = [uses_compiled(part) for part in (ENVIRONMENTS, BOTS)]  # here, since the first answers take a while
    if all(compiled):
        in_daemon_thread(_ask_trained_bot)
    if not no_browser:
        in_daemon_thread(partial(webbrowser.open, address))
    with exit_on_signals():
        server.run([listener])


def listen(port: int | None) -> socket.socket:
    """Opens a socket on the loopback interface; `AlquerqueError` if the port, or each default one, is in use."""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + _TRIES) if port is None else (port,)
    for number in ports:
        listener = socket.socket()
        # Without this option the port of a stopped server stays taken for a minute, and an open page cannot reach the
        # next server. On Windows the option lets two servers share a port.
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, number))
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
        else:
            return listener
    what = f"port {port} is" if port is not None else f"ports {ports[0]} to {ports[-1]} are"
    raise AlquerqueError(f"{what} in use or not allowed; choose another with --port")


def _ask_trained_bot() -> None:
    """Loads the kernels of trained bots while the first match begins."""
    game = load_game("alquerque")
    with suppress(Exception):  # the server may have stopped meanwhile, and nothing depends on it
        spec = next(level.spec for level in levels(game) if level.name == "Trained")
        load_bot(spec, game, seed=0).choose(Match(game))
