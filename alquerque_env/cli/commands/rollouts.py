"""`alquerque rollouts`."""

import json

import click

from ...batch import rollouts as playing
from ...batch.rollouts import Rollouts
from ...game.game import Game
from ...game.rules_text import SIDES
from ..console.capabilities import align
from ..console.interruptible import work
from ..parameters import check_range, open_match, takes_game, takes_json, takes_position

MOST_MATCHES = 10_000_000


@click.command()
@takes_game
@click.option("--matches", type=int, default=100_000, show_default=True, metavar="N", help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Of the draws.")
@takes_position
@takes_json
def rollouts(game: Game, matches: int, seed: int, position: str | None, as_json: bool) -> None:
    """Play random matches to their ends: who wins, how they end and how long they are."""
    check_range("--matches", matches, 1, MOST_MATCHES)
    check_range("--seed", seed, 0, 2**63 - 1)
    match = open_match(game, position)
    found = work(lambda: playing.rollouts(match, matches, seed=seed), "playing ...")
    if as_json:
        report = {"game": game.name, "options": dict(game.options), "position": match.position, "seed": seed}
        click.echo(json.dumps(report | to_json(found), indent=2))
        return
    rows = [
        *((f"{SIDES[player]} wins", f"{found.share(player):.1%}") for player in (0, 1)),
        ("drawn", f"{found.share(-1):.1%}"),
        ("actions a match", f"{found.length.mean():.1f} ({found.length.min()} to {found.length.max()})"),
        *((f"ends: {reason}", f"{count / matches:.1%}") for reason, count in found.endings().items()),
    ]
    click.echo("\n".join([f"{matches:,} random matches from {match.position}", *align(rows)]))


def to_json(found: Rollouts) -> dict[str, object]:
    """What came of random matches as JSON knows it."""
    return {
        "matches": len(found.winner),
        "wins": [found.share(0), found.share(1)],
        "draws": found.share(-1),
        "actions": {
            "mean": float(found.length.mean()),
            "least": int(found.length.min()),
            "most": int(found.length.max()),
        },
        "endings": found.endings(),
    }
