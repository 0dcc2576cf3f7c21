"""Tables of trained bots, from their model cards."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_parts import rows

from alquerque_env import load_game
from alquerque_env.bots.network.model_card import NetworkCard
from alquerque_env.bots.shipped import FAMILY, shipped_bots

OPPONENTS = ("alphabeta:3", "alphabeta:5", "mcts:1000")
SIMULATIONS = 64
_HEAD = ("bot", "network", "steps, time")
_EXACT = tuple((simulations, kind) for simulations in (0, SIMULATIONS) for kind in ("natural", "uniform"))
EXACT_HEADS = tuple(f"{kind}, {f'{number} simulations' if number else 'policy alone'}" for number, kind in _EXACT)


def search_feature_depth(network: Mapping[str, Any]) -> int | None:
    """The depth of a network's search features; None for a network without them."""
    return None if network["search_features"] == "off" else int(network["search_features"])


def network_name(network: Mapping[str, Any]) -> str:
    """Architecture and size of a network; the depth of its search features, if it has them."""
    return str(NetworkCard(**network))


def read_card(folder: Path) -> Any:
    """The model card of a checkpoint."""
    return json.loads((folder / "meta.json").read_text(encoding="utf-8"))


def bots_of_games() -> dict[str, Path]:
    """The bots that belong to a game: all but the one that plays every game."""
    return {name: folder for name, folder in shipped_bots().items() if name != FAMILY}


def second_names() -> dict[str, str]:
    """The ids of games that are another game by default, each with the id of that: the cards of their bots say so."""
    cards = map(read_card, bots_of_games().values())
    return {card["game"]: card["same_as"].partition("/")[0] for card in cards if "same_as" in card}


def plays_alone(folder: Path) -> bool:
    """Whether a bot was measured without simulations."""
    return bool(read_card(folder)["rating"]["simulations"] == 0)


def is_proved(name: str) -> bool:
    """Whether it is proved that nobody gets more against a bot than the start is worth."""
    return name.endswith("-proved")


def bot_rows(bots: Mapping[str, Path]) -> str:
    """Bots by name, by their model cards: those that search, those that do not, and those that are proved."""
    proved = {name: folder for name, folder in bots.items() if is_proved(name)}
    alone = {name: folder for name, folder in bots.items() if name not in proved and plays_alone(folder)}
    searching = {name: folder for name, folder in bots.items() if name not in proved and name not in alone}
    groups = (_search_rows, searching), (_policy_rows, alone), (_proved_rows, proved)
    return "\n\n".join(table(group) for table, group in groups if group)


def _search_rows(bots: Mapping[str, Path]) -> str:
    """Bots that play with simulations: scores against bots that search, and the rating from these matches."""
    body = []
    for name, folder in bots.items():
        card = read_card(folder)
        scores = _scores(card, SIMULATIONS)
        body.append(
            (f"`{name}:{SIMULATIONS}`", *_training(card), *(scores.get(each, "") for each in OPPONENTS), _rating(card))
        )
    return rows((*_HEAD, *(f"against `{name}`" for name in OPPONENTS), "rating"), body)


def _policy_rows(bots: Mapping[str, Path]) -> str:
    """Bots that play without simulations. Two weak opponents give no useful rating; the ladders have one."""
    body = []
    for name, folder in bots.items():
        card = read_card(folder)
        seats = card["strength"][0]["by_seat"]
        won = " and ".join(f"{seat['wins']} of {sum(seat.values())}" for seat in seats)
        score = _scores_by_role(card) or _scores(card, 0)["greedy"]
        body.append((f"`{name}`", *_training(card), won, score))
    return rows((*_HEAD, "won against `random` as South and as North", "against `greedy`"), body)


def _proved_rows(bots: Mapping[str, Path]) -> str:
    """Bots that are proved: shares of wrong choices where some step loses value."""
    cards = {name: read_card(folder) for name, folder in bots.items()}
    body = ((f"`{name}`", *_training(card), *wrong_shares(card)) for name, card in cards.items())
    return rows((*_HEAD, *EXACT_HEADS), body)


def wrong_shares(card: Any) -> list[str]:
    """The shares of wrong choices where some step loses value, in the order of `EXACT_HEADS`."""
    wrong = {
        (entry["simulations"], entry["kind"]): "{:.1f}% ({:.1f} to {:.1f})".format(
            *(100 * entry[key] for key in ("wrong", "low", "high"))
        )
        for entry in card.get("exact_errors", ())
    }
    return [wrong.get(each, "–") for each in _EXACT]


def _training(card: Any) -> tuple[str, str]:
    return network_name(card["network"]), f"{card['steps'] / 1e6:.1f} M, {card['wall_time'] / 60:.0f} min"


def _rating(card: Any) -> str:
    return "{value:+.0f} ({low:+.0f} to {high:+.0f})".format(**card["rating"])


def _scores_by_role(card: Any) -> str:
    """Scores against `greedy` as each side, beside those of `greedy` itself; empty where the sides are alike."""
    (entry,) = (entry for entry in card["strength"] if entry["opponent"] == "greedy" and "score" in entry)
    both = zip(entry.get("by_seat", ()), entry.get("opponent_by_seat", ()), strict=True)
    parts = [
        f"{_share(own)} as {seat}, `greedy` {_share(other)}"
        for seat, (own, other) in zip(load_game(card["game"]).seats, both, strict=False)
    ]
    return "; ".join(parts)


def _share(entry: Any) -> str:
    return "{:.0f}% ({:.0f} to {:.0f})".format(*(100 * entry[key] for key in ("score", "low", "high")))


def _scores(card: Any, simulations: int) -> dict[str, str]:
    """Scores in the arena by opponent, with their 95% intervals."""
    return {
        entry["opponent"]: _share(entry)
        for entry in card["strength"]
        if entry["simulations"] == simulations and "score" in entry
    }
