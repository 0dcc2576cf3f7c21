"""`alquerque engine`."""

import os
import sys
from typing import cast

import click

from ... import __version__
from ...files.input_lines import Bytes
from ..command import HelpfulCommand
from ..parameters import complete_game, game_with_options, rules_option, seed_option
from ..ugi.ugi_engine import Engine, EngineOptions, serve


@click.command(cls=HelpfulCommand)
@click.argument("spec", default="alphabeta:5", metavar="[SPEC]")
@click.option(
    "--game", "name", default="alquerque", metavar="GAME", shell_complete=complete_game, help="The first game to play."
)
@rules_option
@seed_option("Seed that makes the bot's choices repeatable.")
def engine(spec: str, name: str, options: tuple[str, ...], seed: int | None) -> None:
    """Run a bot as a UGI engine.

    UGI, the Universal Game Interface, lets other programs play against the bot. The engine reads commands from standard
    input and answers on standard output.
    """
    settings = EngineOptions(game_with_options(name, options), spec)
    serve(Engine(settings, _write_line, name=f"Alquerque {__version__}", seed=seed), cast(Bytes, sys.stdin.buffer))


def _write_line(line: str) -> None:
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        # The reader is gone, so the input will end soon. Flushing the rest at exit must not print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
