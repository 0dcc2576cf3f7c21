"""`alquerque web`."""

import os
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import click

from ...bots import load_bot
from ...bots.levels import levels
from ...errors import AlquerqueError, require
from ...game.game import games, load_game
from ...match.match import Match
from ..console.interruptible import work
from ..console.signals import orderly_end
from ..parameters import check_range

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8008
# So that a second server, or another program on the port, is no obstacle.
_TRIES = 20


@click.command()
@click.option("--port", type=int, metavar="N", help=f"Of the server; {DEFAULT_PORT} or the next free one if not given.")
@click.option("--no-browser", is_flag=True, help="Print the address and do not open it.")
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="Offer this bot beside the levels; repeatable.")
@click.option(
    "--seconds", type=float, default=10.0, show_default=True, help="That a bot may take for a step, from 0.1 to 600."
)
def web(port: int | None, no_browser: bool, bots: tuple[str, ...], seconds: float) -> None:
    """Play in the browser: all games, against bots or people, with hints, analysis and records. Ctrl-C ends it."""
    for package in ("starlette", "uvicorn", "pydantic"):
        require(package, "web")
    check_range("--seconds", seconds, 0.1, 600)
    if port is not None:
        check_range("--port", port, 1, 65_535)
    others = {spec: work(partial(find_games, spec), f"loading {spec} ...") for spec in bots}
    listener = listen(port)
    address = f"http://{LOOPBACK}:{listener.getsockname()[1]}/"
    serve = _make_server(others, seconds)
    work(_warm_up, "compiling the rules for this machine, once ...")
    click.echo(f"The games are at {address} (Ctrl-C ends)")
    _beside(_warm_up_trained)
    if not no_browser:
        _beside(partial(webbrowser.open, address))
    with orderly_end():
        serve([listener])


def _make_server(others: Mapping[str, Sequence[str]], seconds: float) -> Callable[[list[socket.socket]], None]:
    import uvicorn

    from ...web.app import make_app

    settings = uvicorn.Config(
        make_app(others=others, seconds=seconds, is_ending=lambda: server.should_exit),
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=1,
        limit_concurrency=64,
        h11_max_incomplete_event_size=32 * 1024,
        ws="none",
    )
    server = uvicorn.Server(settings)
    return server.run


def listen(port: int | None) -> socket.socket:
    """A socket on loopback.

    Raises:
      AlquerqueError: If the port, or each of those tried, is in use.
    """
    tried = range(DEFAULT_PORT, DEFAULT_PORT + _TRIES) if port is None else (port,)
    for number in tried:
        listener = socket.socket()
        # Otherwise a server that has just ended leaves its port taken for a minute, and an open page would not find the
        # next one. Windows means something else by this.
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, number))
            listener.listen(64)
        except OSError:
            listener.close()
        else:
            return listener
    what = f"port {port} is" if port is not None else f"ports {tried[0]} to {tried[-1]} are"
    raise AlquerqueError(f"{what} in use or not allowed; choose another with --port")


def find_games(spec: str) -> tuple[str, ...]:
    """Ids of the games that a bot plays.

    Raises:
      AlquerqueError: If it plays none, now rather than in the middle of a match.
    """
    found, refusals = [], []
    for name in games():
        try:
            load_bot(spec, load_game(name))
            found.append(name)
        except AlquerqueError as error:
            refusals.append(error)
    if not found:
        raise refusals[0]
    return tuple(found)


def _beside(task: Callable[[], object]) -> None:
    threading.Thread(target=task, daemon=True).start()


def _warm_up() -> None:
    """Compiles what the first turn of a bot would wait for."""
    match = Match(load_game("alquerque"))
    load_bot("alphabeta:1", match.game, seed=0).choose(match)


def _warm_up_trained() -> None:
    """Compiles beside the first match what a trained bot would wait for, where its packages are installed."""
    trained = levels(load_game("alquerque"))[-1]
    with suppress(AlquerqueError, ImportError):
        load_bot(trained.spec, load_game("alquerque"), seed=0).choose(Match(load_game("alquerque")))
