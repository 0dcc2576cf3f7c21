"""Evaluates a network of kind `family` in one game, one position at a time, without any package.

`alquerque_env.bots.network.family` says what it computes. The policy is computed for legal actions only.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from math import exp, tanh
from typing import Any

from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.both_masks import mark_steps
from alquerque_env.engine.graph_form import BOUND, SHOWN, count_facts
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.symmetry import Symmetry
from alquerque_env.search import quiescence as q
from alquerque_env.search.puct import Position
from alquerque_training.export.packing import WeightReader
from alquerque_training.export.player.plain_mlp import Vector, read_layer, relu, softmax

DECIMALS = 9  # of logits, as in `family.DECIMALS`


class Family:
    """The network for all games, in one of them.

    Args:
      table: Step table of the game.
      network: Its settings, its layers and the game as a graph, as `export.family_data` writes them.
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
        points, player, dyn, codes, facts = self._encode(position)
        layers, view = self._layers, self._network["views"][player]
        start = layers["globals"](facts)
        hidden = [_sum([layers["input"](point), start]) for point in points]
        for block in (f"rounds.{number}" for number in range(self._network["blocks"])):
            seen = [relu(point) for point in hidden]
            sent = self._links(block, seen, player, dyn, range(len(dyn)))
            heard = [_sum([sent[link] for link in links]) or [0.0] * len(sent[0]) for links in view["to_points"]]
            fixed = _sum([layers[f"{block}.pool"](_pooled(seen)), layers[f"{block}.rules"](facts)])
            for point, own in enumerate(seen):
                of_links = [number for role in heard[point :: len(points)] for number in role]
                scaled = [number * len(points) / len(dyn) for number in layers[f"{block}.from_links"](of_links)]
                inner = relu(_sum([scaled, layers[f"{block}.self"](own), fixed]))
                hidden[point] = _sum([hidden[point], layers[f"{block}.second"](inner)])
        seen = [relu(point) for point in hidden]
        whole = [*_pooled(seen), *facts]
        links = [action for action in position.actions if action < len(dyn)]
        logits = [layers["policy"](link)[0] for link in self._links("last", seen, player, dyn, links)]
        if len(links) < len(position.actions):
            logits.append(self._head("stop", whole))
        worth = [self._worth[codes[action]] for action in position.actions]
        policy = softmax([round(sum(parts), DECIMALS) for parts in zip(logits, worth, strict=True)])
        return policy, tanh(self._head("value", whole))

    def _encode(self, position: Position) -> tuple[list[Vector], int, list[tuple[int, int, int]], list[int], Vector]:
        """The inputs of the network.

        Facts of the points, the player, for each link whether player and opponent can take it and the code of its
        search feature, the codes of all actions, and facts of rules and position.
        """
        table, network = self._table, self._network
        size, actions, planes = table[TABLE.POINTS], table[TABLE.NUM_ACTIONS], network["planes"]
        observation, masks, codes = [0] * (table[TABLE.NUM_PLANES] * size), [0] * (2 * actions), [q.ILLEGAL] * actions
        rules.observe(table, position.state, position.earlier, observation, 0)
        for number in network["hidden"]:
            observation[number * size : (number + 1) * size] = [0] * size
        mark_steps(table, observation, 1, masks)
        if self._depth is not None:
            q.code_steps(table, observation, 1, self._depth, codes)

        def plane(name: str) -> list[int]:
            first = planes[name] * size if name in planes else len(observation)
            return observation[first : first + size] or [0] * size

        player, shown = plane("player")[0], [plane(name) for name in SHOWN]
        view = network["views"][player]
        past = _sum([plane(name) for name in planes if name.startswith(("no_undo_", "remembered_"))]) or [0] * size
        changing = zip(*shown, [number / 4 for number in past], [1 - number for number in _sum(shown[:4])], strict=True)
        own, enemy = masks[: len(view["kind"])], masks[actions : actions + len(view["kind"])]
        seen = {link for link, legal in zip(network["enemy"], enemy, strict=True) if legal}
        dyn = [(legal, int(link in seen), code) for link, (legal, code) in enumerate(zip(own, codes, strict=False))]
        steps = [sum(own), sum(enemy), *(sum(compress(side, network["captures"])) for side in (own, enemy))]
        pieces = [*map(sum, shown[:4]), sum(shown[SHOWN.index("chain")])]
        counts = count_facts(lambda name: plane(name)[0], pieces, steps, network["counts"][player], exp)
        facts = [*view["rules"], *(max(-BOUND, min(count, BOUND)) for count in counts)]
        return [[*now, *fixed] for now, fixed in zip(changing, view["points"], strict=True)], player, dyn, codes, facts

    def _links(
        self, block: str, seen: Sequence[Vector], player: int, dyn: Sequence[Any], links: Iterable[int]
    ) -> list[Vector]:
        """Some links of a round."""
        sent, view = [self._layers[f"{block}.to_links"](point) for point in seen], self._network["views"][player]
        half = len(sent[0]) // 4
        heard = [point[first : first + half] for first in range(0, 4 * half, half) for point in sent]
        fixed = (self._of_link(block, player, view["kind"][link], *dyn[link]) for link in links)
        rows = ([heard[row] for row in view["to_links"][link]] for link in links)
        return [relu(_sum([own, *others])) for own, others in zip(fixed, rows, strict=True)]

    def _judge_link(self, block: str, player: int, kind: int, legal: int, enemy_legal: int, code: int) -> Vector:
        """What a link adds by itself."""
        facts, dyn = self._network["views"][player]["kinds"][kind], [legal, enemy_legal, *q.CODES[code]]
        return _sum([self._layers[f"{block}.kind"](facts), self._layers[f"{block}.dyn"](dyn)])

    def _head(self, name: str, whole: Vector) -> float:
        return self._layers[f"{name}.second"](relu(self._layers[f"{name}.first"](whole)))[0]


def _sum(vectors: Sequence[Sequence[float]]) -> Vector:
    return list(map(sum, zip(*vectors, strict=True)))


def _pooled(seen: Sequence[Vector]) -> Vector:
    """Mean and maximum over the points."""
    return [*(number / len(seen) for number in _sum(seen)), *map(max, zip(*seen, strict=True))]
