"""`alquerque play`."""

from contextlib import suppress

import click

from .. import load_bot
from ..errors import AlquerqueError
from ..game import Game
from .parameters import MAX_SEED, check_range, open_match, takes_game, takes_position
from .session import HUMAN, Seat, Session
from .terminal import find_terminal
from .working import work


@click.command()
@takes_game
@click.option(
    "--opponent",
    default="alphabeta:3",
    metavar="SPEC",
    show_default=True,
    help="Who plays against you: random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, a path or name of a trained "
    "player, or human for two people.",
)
@click.option("--seat", type=click.Choice(["0", "1"]), default="0", show_default=True, help="Yours: 0 South, 1 North.")
@takes_position
@click.option("--seed", type=int, metavar="N", help="Make the bots' choices repeatable.")
@click.option("--watch", metavar="SPEC", help="Watch a bot play in your seat.")
@click.option("--delay", type=float, default=0.0, metavar="SECONDS", help="Wait after a bot's turn.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain characters.")
def play(
    game: Game,
    opponent: str,
    seat: str,
    position: str | None,
    seed: int | None,
    watch: str | None,
    delay: float,
    ascii_only: bool,
) -> None:
    """Play in the terminal. The legal steps are listed; type one, its number, or help."""
    with suppress(ImportError):
        # Gives `input` editing and history where the system has it.
        import readline  # noqa: F401
    if watch == HUMAN or (watch is not None and opponent == HUMAN):
        raise AlquerqueError("--watch shows a match between bots; neither it nor --opponent can be human")
    check_range("--delay", delay, 0, 60)
    check_range("--seed", seed or 0, 0, MAX_SEED)
    match = open_match(game, position)
    mine = _seat(watch or HUMAN, game, seed)
    theirs = _seat(opponent, game, None if seed is None else (seed + 1) % MAX_SEED)
    Session(
        match, (mine, theirs) if seat == "0" else (theirs, mine), find_terminal(ascii_only=ascii_only), delay
    ).play()


def _seat(spec: str, game: Game, seed: int | None) -> Seat:
    if spec == HUMAN:
        return Seat(spec, None)
    return Seat(spec, work(lambda: load_bot(spec, game, seed=seed), f"loading {spec} ..."))
