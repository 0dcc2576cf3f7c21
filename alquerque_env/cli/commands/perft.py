"""`alquerque perft`."""

import json

import click

from ...game.game import Game
from ...match import perft as counting
from ..console.capabilities import align
from ..console.interruptible import work
from ..parameters import check_range, open_match, takes_game, takes_json, takes_position

# Far more than can be counted, and few enough to find room for.
MAX_DEPTH = 1000


@click.command()
@takes_game
@click.option("--depth", type=int, required=True, metavar="D", help="Length of the sequences.")
@click.option("--turns", is_flag=True, help="Count whole turns, not steps.")
@click.option("--divide", is_flag=True, help="Also print the count behind each first step or turn.")
@takes_position
@takes_json
def perft(game: Game, depth: int, turns: bool, divide: bool, position: str | None, as_json: bool) -> None:
    """Count the sequences of D steps, or of D whole turns, by which move generators are compared."""
    check_range("--depth", depth, 1 if divide else 0, MAX_DEPTH)
    begin = open_match(game, position).position
    parts: dict[str, int] = {}
    if divide:
        parts = work(lambda: counting.divide(game, depth, position, turns=turns), "counting ...")
        total = sum(parts.values())
    else:
        total = work(lambda: counting.perft(game, depth, position, turns=turns), "counting ...")
    if as_json:
        report = {
            "game": game.name,
            "options": dict(game.options),
            "position": begin,
            "depth": depth,
            "turns": turns,
            "count": total,
        }
        click.echo(json.dumps(report | ({"divide": parts} if divide else {}), indent=2))
        return
    click.echo("\n".join(align([*parts.items(), ("total", total)])) if divide else str(total))
