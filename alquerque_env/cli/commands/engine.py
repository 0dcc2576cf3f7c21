"""`alquerque engine`."""

import os
import sys

import click

from ... import __version__
from ..parameters import MAX_SEED, check_range, find_game
from ..ugi import Engine, Settings, serve


@click.command()
@click.argument("spec", default="alphabeta:5")
@click.option("--game", "name", default="alquerque", metavar="GAME", show_default=True, help="What to play at first.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Answer a question of the rules; repeatable."
)
@click.option("--seed", type=int, metavar="N", help="Make the bot's choices repeatable.")
def engine(spec: str, name: str, options: tuple[str, ...], seed: int | None) -> None:
    """Let a bot play over UGI, the Universal Game Interface, through input and output.

    SPEC is random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, or a path or name of a trained player; alphabeta:5 unless
    given.
    """
    check_range("--seed", seed or 0, 0, MAX_SEED)
    settings = Settings(find_game(name, options), spec)
    serve(Engine(settings, _say, name=f"Alquerque {__version__}", seed=seed), sys.stdin.buffer)


def _say(line: str) -> None:
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        # Nobody listens any more, and soon the input will end; what is left must not make a noise then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
