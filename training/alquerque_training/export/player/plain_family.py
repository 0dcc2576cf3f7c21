"""Evaluates a network of kind `family` in one game, one position at a time, without any package.

`alquerque_env.bots.network.family` says what it computes. The policy is computed for legal actions only.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import tanh
from typing import Any

from alquerque_env.bots.network.plain_inputs import Vector, add_all, plain_inputs
from alquerque_env.game.symmetry import Symmetry
from alquerque_env.search import quiescence as q
from alquerque_env.search.puct import Position
from alquerque_training.export.packing import WeightReader
from alquerque_training.export.player.plain_mlp import read_layer, relu, softmax

DECIMALS = 9  # of logits, as in `family.DECIMALS`


class Family:
    """The network for all games, in one of them.

    Args:
      table: Step table of the game.
      network: Its settings, its layers and the game as a graph, as the exporter writes them.
      weights: Packed tensors: weight and bias of each layer, and the weights of the search features if it has them.
    """

    symmetries: Sequence[Symmetry] = ()

    def __init__(self, table: Sequence[int], network: Mapping[str, Any], weights: str) -> None:
        self._table, self._network = table, network
        self._depth, self.sees_clock = network["feature_depth"], network["sees_clock"]
        reader = WeightReader(weights)
        self._layers = {name: read_layer(reader, inputs, units) for name, inputs, units in network["layers"]}
        self._worth = [0.0] * len(q.CODES) if self._depth is None else reader.read(len(q.CODES)).values
        self._of_link = cache(self._judge_link)

    def __call__(self, position: Position) -> tuple[Vector, float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        player, points, dyn, codes, counts = plain_inputs(self._table, self._network, position)
        layers, view = self._layers, self._network["views"][player]
        facts = [*view["rules"], *counts]
        start = layers["globals"](facts)
        inputs = ([*now, *fixed] for now, fixed in zip(points, view["points"], strict=True))
        hidden = [add_all([layers["input"](point), start]) for point in inputs]
        for block in (f"rounds.{number}" for number in range(self._network["blocks"])):
            seen = [relu(point) for point in hidden]
            sent = self._links(block, seen, player, dyn, range(len(dyn)))
            heard = [add_all([sent[link] for link in links]) or [0.0] * len(sent[0]) for links in view["to_points"]]
            fixed = add_all([layers[f"{block}.pool"](_pooled(seen)), layers[f"{block}.rules"](facts)])
            for point, own in enumerate(seen):
                of_links = [number for role in heard[point :: len(points)] for number in role]
                scaled = [number * len(points) / len(dyn) for number in layers[f"{block}.from_links"](of_links)]
                inner = relu(add_all([scaled, layers[f"{block}.self"](own), fixed]))
                hidden[point] = add_all([hidden[point], layers[f"{block}.second"](inner)])
        seen = [relu(point) for point in hidden]
        whole = [*_pooled(seen), *facts]
        links = [action for action in position.actions if action < len(dyn)]
        logits = [layers["policy"](link)[0] for link in self._links("last", seen, player, dyn, links)]
        if len(links) < len(position.actions):
            logits.append(self._head("stop", whole))
        worth = [self._worth[codes[action]] for action in position.actions]
        policy = softmax([round(sum(parts), DECIMALS) for parts in zip(logits, worth, strict=True)])
        return policy, tanh(self._head("value", whole))

    def _links(
        self, block: str, seen: Sequence[Vector], player: int, dyn: Sequence[Any], links: Iterable[int]
    ) -> list[Vector]:
        """Some links of a round."""
        sent, view = [self._layers[f"{block}.to_links"](point) for point in seen], self._network["views"][player]
        half = len(sent[0]) // 4
        heard = [point[first : first + half] for first in range(0, 4 * half, half) for point in sent]
        fixed = (self._of_link(block, player, view["kind"][link], *dyn[link]) for link in links)
        rows = ([heard[row] for row in view["to_links"][link]] for link in links)
        return [relu(add_all([own, *others])) for own, others in zip(fixed, rows, strict=True)]

    def _judge_link(self, block: str, player: int, kind: int, legal: int, enemy_legal: int, code: int) -> Vector:
        """What a link adds by itself."""
        facts, dyn = self._network["views"][player]["kinds"][kind], [legal, enemy_legal, *q.CODES[code]]
        return add_all([self._layers[f"{block}.kind"](facts), self._layers[f"{block}.dyn"](dyn)])

    def _head(self, name: str, whole: Vector) -> float:
        return self._layers[f"{name}.second"](relu(self._layers[f"{name}.first"](whole)))[0]


def _pooled(seen: Sequence[Vector]) -> Vector:
    """Mean and maximum over the points."""
    return [*(number / len(seen) for number in add_all(seen)), *map(max, zip(*seen, strict=True))]
