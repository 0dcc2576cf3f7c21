"""`alquerque perft`."""

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ...match import perft as counting
from ..command import HelpfulCommand, print_report
from ..console.capabilities import align
from ..console.signals import run_interruptible
from ..parameters import IntRange, game_argument, json_option, open_match, position_option

# Deeper counts never end, and their recursion would not fit into memory.
MAX_DEPTH = 1000


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("--depth", type=IntRange(0, MAX_DEPTH), required=True, metavar="D", help="Length of the sequences.")
@click.option("--turns", is_flag=True, help="Count whole turns instead of steps.")
@click.option("--divide", is_flag=True, help="Also print the count after each first step or turn.")
@position_option
@json_option
def perft(game: Game, depth: int, turns: bool, divide: bool, position: str | None, as_json: bool) -> None:
    """Count the sequences of steps or turns.

    Counts all sequences of D steps, or of D turns, from a position. A step moves one piece once; a chain of captures
    has several steps. Perft counts are the usual way to compare move generators.
    """
    if divide and depth == 0:
        raise AlquerqueError("--divide needs --depth 1 or more")
    start = open_match(game, position).position
    parts: dict[str, int] = {}
    if divide:
        parts = run_interruptible(lambda: counting.divide(game, depth, position, turns=turns), "counting ...")
        total = sum(parts.values())
    else:
        total = run_interruptible(lambda: counting.perft(game, depth, position, turns=turns), "counting ...")
    report = {
        "game": game.name,
        "options": dict(game.options),
        "position": start,
        "depth": depth,
        "turns": turns,
        "count": total,
        **({"divide": parts} if divide else {}),
    }
    lines = align([*parts.items(), ("total", total)]) if divide else [str(total)]
    print_report(report, lines, as_json=as_json)
