"""Tables of players in games that they have never seen, from `docs/data/generalisation.jsonl`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_parts import rows

from alquerque_env import load_game
from alquerque_env.drawn.identity import identity

FILE = Path(__file__).parent / "data" / "generalisation.jsonl"
ABLATIONS = FILE.with_name("ablations.jsonl")
RULER = "alphabeta:1"


def read(file: Path) -> list[dict[str, Any]]:
    """The rows of a file, without its header."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def read_part(part: str) -> list[Mapping[str, Any]]:
    """The rows of a part."""
    return [row for row in read(FILE) if row["part"] == part]


def by_player(part: str) -> dict[str, dict[str, Mapping[str, Any]]]:
    """For each player the rows of a part that have positions, by game and kind."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in read_part(part):
        if row["positions"]:
            found.setdefault(row["player"], {})[f"{row['game']} {row.get('kind', '')}".strip()] = row
    return found


def unseen_drawn(_: str) -> str:
    """Wrong choices in the drawn test games."""
    found, body = by_player("drawn"), []
    for player, own in found.items():
        cells = [f"{sum(row['wrong'] for row in own.values()) / len(own):.1%}"]
        for other, is_fewer in (("greedy", True), (RULER, False)):
            pairs = [(own[game]["wrong"], row["wrong"]) for game, row in found[other].items() if game in own]
            cells.append(f"{sum(one < two if is_fewer else one <= two for one, two in pairs)} of {len(pairs)}")
        body.append((f"`{player}`", *cells))
    return rows(("player", "wrong", "fewer than `greedy`", f"at most as many as `{RULER}`"), body)


def unseen_settings(_: str) -> str:
    """Wrong choices in the held-out games and settings with tables."""
    found = by_player("settings")
    places = list(dict.fromkeys(place for own in found.values() for place in own))
    body = [
        (
            f"`{place.rpartition(' ')[0]}`, {place.rpartition(' ')[2]}",
            *(f"{own[place]['wrong']:.1%}" if place in own else "" for own in found.values()),
        )
        for place in places
    ]
    return rows(("game and options, positions", *(f"`{player}`" for player in found)), body)


def unseen_matches(opponent: str) -> str:
    """Scores against a bot in the held-out games, with the half widths of their 95% intervals."""
    kind, depth = opponent.rsplit("-", 1)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row in read_part("matches"):
        if row["opponent"] == f"{kind}:{depth}":
            wins, draws, games = row["wins"], row["draws"], row["games"]
            score = (wins + draws / 2) / games
            half = 1.96 * (((wins + draws / 4) / games - score**2) / games) ** 0.5
            found.setdefault(row["game"], {})[row["player"]] = score, half
    players = list(dict.fromkeys(player for own in found.values() for player in own))
    body = [
        (f"`{game}`", *("{:.2f} ± {:.2f}".format(*own[player]) if player in own else "" for player in players))
        for game, own in found.items()
    ]
    whole = {identity(load_game(game)): own for game, own in found.items() if own.keys() == set(players)}
    means = (sum(own[player][0] for own in whole.values()) / len(whole) for player in players)
    body.append((f"mean of the {len(whole)} different games with all", *(f"{mean:.2f}" for mean in means)))
    return rows(("game", *(f"`{player}`" for player in players)), body)


def unseen_learning(_: str) -> str:
    """Wrong choices in the drawn test games of learners: of these after some minutes, of others as they are."""
    found: dict[tuple[str, float], list[float]] = {}
    learned = read_part("learning")
    games = {row["game"] for row in learned}
    for player, own in by_player("drawn").items():
        if games <= own.keys():
            found[player, 0] = [own[game]["wrong"] for game in games]
    for row in learned:
        found.setdefault((row["player"], row["minutes"]), []).append(row["wrong"])
    body = [
        (f"`{player}`", f"{minutes:g}", str(len(each)), f"{sum(each) / len(each):.1%}")
        for (player, minutes), each in found.items()
    ]
    return rows(("player", "minutes a game", "games", "wrong"), body)


def unseen_ablations(_: str) -> str:
    """Wrong choices of networks that learned with one thing left out, means over drawn games and over settings."""
    found: dict[str, dict[int, str]] = {}
    for row in read(ABLATIONS):
        drawn, settings = row["drawn"], row["settings"].values()
        text = f"{sum(drawn) / len(drawn):.1%}, {sum(settings) / len(settings):.1%}"
        found.setdefault(row["variant"], {})[row["steps"]] = text
    budgets = sorted({steps for own in found.values() for steps in own})
    body = [(variant, *(own.get(steps, "") for steps in budgets)) for variant, own in found.items()]
    return rows(("learned with", *(f"{steps:,} positions" for steps in budgets)), body)
