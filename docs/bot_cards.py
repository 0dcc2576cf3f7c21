"""Tables of trained bots, from their model cards."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_parts import rows

from alquerque_env.bots.network.model_card import describe_network

OPPONENTS = ("alphabeta:3", "alphabeta:5", "mcts:1000")
SIMULATIONS = 64


def search_feature_depth(network: Mapping[str, Any]) -> int | None:
    """The depth of a network's search features; None for a network without them."""
    return None if network["search_features"] == "off" else int(network["search_features"])


def network_name(network: Mapping[str, Any]) -> str:
    """Architecture and size of a network; the depth of its search features, if it has them."""
    return describe_network(network["kind"], network["width"], network["blocks"], search_feature_depth(network))


def read_card(folder: Path) -> Any:
    """The model card of a checkpoint."""
    return json.loads((folder / "meta.json").read_text(encoding="utf-8"))


def bot_rows(bots: Mapping[str, Path]) -> str:
    """Bots by name, as the model cards in their folders describe them."""
    body = []
    for name, folder in bots.items():
        card = read_card(folder)
        scores = {
            entry["opponent"]: "{:.0f} % ({:.0f}–{:.0f})".format(
                *(100 * entry[key] for key in ("score", "low", "high"))
            )
            for entry in card["strength"]
            if entry["simulations"] == SIMULATIONS and "score" in entry
        }
        body.append(
            (
                f"`{name}:{SIMULATIONS}`",
                network_name(card["network"]),
                f"{card['steps'] / 1e6:.1f} M, {card['wall_time'] / 60:.0f} min",
                *(scores.get(opponent, "") for opponent in OPPONENTS),
                "{value:+.0f} ({low:+.0f} to {high:+.0f})".format(**card["rating"]),
            )
        )
    return rows(("bot", "network", "decisions, time", *(f"against `{name}`" for name in OPPONENTS), "rating"), body)
