"""`alquerque rollouts`."""

from typing import Any

import click
import numpy as np

from ...batch import rollouts as playing
from ...game.game import Game
from ...game.rules_text import SIDES
from ..command import HelpfulCommand, print_report
from ..console.capabilities import align
from ..console.signals import run_interruptible
from ..parameters import IntRange, game_argument, json_option, open_match, position_option, seed_option

MAX_MATCHES = 10_000_000


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("--matches", type=IntRange(1, MAX_MATCHES), default=100_000, metavar="N", help="Number of matches.")
@seed_option("Seed of the random steps.", default=0)
@click.option("--branching", is_flag=True, help="Count turns and legal actions too, which takes longer.")
@position_option
@json_option
def rollouts(game: Game, matches: int, seed: int, branching: bool, position: str | None, as_json: bool) -> None:
    """Play random matches and count how they end.

    Prints who wins, the reasons why matches end and how many actions they have. With --branching, also how many turns
    they have and among how many legal actions a player chooses.
    """
    match = open_match(game, position)
    measured = None
    if branching:
        measured = run_interruptible(lambda: playing.measure_branching(match, matches, seed=seed), "playing ...")
        found = measured.rollouts
    else:
        found = run_interruptible(lambda: playing.rollouts(match, matches, seed=seed), "playing ...")
    report = {
        "game": game.name,
        "options": dict(game.options),
        "position": match.position,
        "seed": seed,
        "matches": matches,
        "wins": [found.share(0), found.share(1)],
        "draws": found.share(-1),
        "actions": _spread(found.length),
        "endings": found.endings(),
    }
    if measured is not None:
        report |= {"turns": _spread(measured.turns), "legal_actions": {"mean": measured.factor, "most": measured.most}}
    rows = [
        *((f"{SIDES[player]} wins", f"{found.share(player):.1%}") for player in (0, 1)),
        ("drawn", f"{found.share(-1):.1%}"),
        ("actions per match", "{mean:.1f} ({least} to {most})".format(**_spread(found.length))),
        *((f"ends: {reason}", f"{count / matches:.1%}") for reason, count in found.endings().items()),
    ]
    if measured is not None:
        rows += [
            ("turns per match", "{mean:.1f} ({least} to {most})".format(**_spread(measured.turns))),
            ("legal actions", f"{measured.factor:.1f} (at most {measured.most})"),
        ]
    print_report(report, [f"{matches:,} random matches from {match.position}", *align(rows)], as_json=as_json)


def _spread(numbers: np.ndarray) -> dict[str, Any]:
    return {"mean": float(numbers.mean()), "least": int(numbers.min()), "most": int(numbers.max())}
