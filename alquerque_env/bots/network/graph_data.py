"""A game as a graph, as data for those who evaluate the network for all games without NumPy."""

from typing import Any

import numpy as np

from ...engine.graph_form import GraphForm
from ...game.game import Game
from ...game.planes import clock_planes
from .family import View


def graph_data(game: Game, *, sees_clock: bool) -> dict[str, Any]:
    """What `plain_inputs` needs of a game, and its views, for JSON."""
    form = GraphForm(game)
    return {
        "planes": {plane.name: number for number, plane in enumerate(game.planes)},
        "hidden": () if sees_clock else clock_planes(game),
        "captures": form.captures.tolist(),
        "enemy": form.enemy.tolist(),
        "counts": form.sizes,
        "views": [_view(View(game, player)) for player in (0, 1)],
    }


def _view(view: View) -> dict[str, Any]:
    kinds, kind = np.unique(view.links, axis=0, return_inverse=True)
    facts = {"points": view.points, "rules": view.rules, "kinds": kinds, "kind": kind.ravel()}
    sums = {"to_links": view.to_links, "to_points": view.to_points}
    return {name: array.tolist() for name, array in facts.items()} | {
        name: [rows.tolist() for rows in np.split(bags.index, bags.first[1:])] for name, bags in sums.items()
    }
