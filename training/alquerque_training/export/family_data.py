"""What an exported player of the network for all games carries of its game and its network."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots.network.family import View
from alquerque_env.engine.graph_form import GraphForm
from alquerque_env.game.game import Game
from alquerque_env.game.planes import clock_planes

AS_WEIGHTS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "to_links": lambda tensor: tensor.mT.flatten(0, 1),
    "from_links": lambda tensor: tensor.flatten(0, 1).T,
    "dyn": lambda tensor: tensor.T,
}
"""What makes other tensors weights, `[outputs, inputs]`, of a layer without a bias."""


def game_facts(game: Game, *, sees_clock: bool) -> dict[str, Any]:
    """The game as a graph, for JSON."""
    form = GraphForm(game)
    return {
        "planes": {plane.name: number for number, plane in enumerate(game.planes)},
        "hidden": () if sees_clock else clock_planes(game),
        "captures": form.captures.tolist(),
        "enemy": form.enemy.tolist(),
        "counts": form.sizes,
        "views": [_view(View(game, player)) for player in (0, 1)],
    }


def family_layers(weights: Mapping[str, Tensor]) -> tuple[list[tuple[str, int, int]], dict[str, Tensor]]:
    """The name, inputs and outputs of each layer; and their weights and biases in this order, then `worth`."""
    layers, tensors = [], {}
    for name, tensor in weights.items():
        layer, _, part = name.rpartition(".")
        if part in AS_WEIGHTS:
            layer, tensor = name, AS_WEIGHTS[part](tensor)
        elif part != "weight":
            continue
        layers.append((layer, tensor.shape[1], len(tensor)))
        tensors[name], tensors[f"{layer}.bias"] = tensor, weights.get(f"{layer}.bias", torch.zeros(len(tensor)))
    return layers, tensors | {name: tensor for name, tensor in weights.items() if name == "worth"}


def _view(view: View) -> dict[str, Any]:
    kinds, kind = np.unique(view.links, axis=0, return_inverse=True)
    facts = {"points": view.points, "rules": view.rules, "kinds": kinds, "kind": kind.ravel()}
    sums = {"to_links": view.to_links, "to_points": view.to_points}
    return {name: array.tolist() for name, array in facts.items()} | {
        name: [rows.tolist() for rows in np.split(bags.index, bags.first[1:])] for name, bags in sums.items()
    }
