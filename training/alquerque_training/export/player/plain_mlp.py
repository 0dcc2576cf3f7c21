"""Evaluates a network of kind `mlp`, of every kind of input, one position at a time, without any package.

The hidden layers use `bigint_vectors`. The policy is computed for legal actions only; for these few a plain sum is
faster.
"""

from collections.abc import Mapping, Sequence
from math import exp, tanh
from operator import mul
from typing import Any

from alquerque_env.engine import rules_scalar as rules
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.canonical import image_places, weight
from alquerque_env.game.symmetry import Symmetry
from alquerque_env.search import quiescence as q
from alquerque_env.search.puct import Position
from alquerque_training.export.packing import WeightReader
from alquerque_training.export.player.bigint_vectors import Layer

Vector = list[float]


class Mlp:
    """A network with its weights.

    Args:
      table: Step table of the game.
      network: Width, number of blocks, depth in turns of the search features (None without them), whether it sees the
        clock, and the symmetries of the game if it is given the canonical image of a position.
      weights: Packed tensors, in the order of the network's `state_dict`: the weights of the search features if it has
        them, the scale of the planes, weight and bias of each layer.
    """

    def __init__(self, table: Sequence[int], network: Mapping[str, Any], weights: str) -> None:
        width, self._depth, self.sees_clock = network["width"], network["feature_depth"], network["sees_clock"]
        self.symmetries = [Symmetry(*each) for each in network["symmetries"]]
        features = 0 if self._depth is None else len(q.CODES[0]) * table[TABLE.NUM_ACTIONS]
        planes, points = table[TABLE.NUM_PLANES], table[TABLE.POINTS]
        reader = WeightReader(weights)
        self._worth = reader.read(len(q.CODES)).values if features else [0.0]
        scale = reader.read(planes).values
        groups = [group for plane in range(planes) for group in _groups(table, plane)]
        self._table = table
        self._observation = [0] * (planes * points)
        self._images = [_Image(symmetry, points) for symmetry in self.symmetries]
        self._same_actions = range(table[TABLE.NUM_ACTIONS])
        self._inputs = [(group[0], self._factor(group[0] // points, scale)) for group in groups]
        inputs = planes * points + features
        alone = [range(place, place + 1) for place in range(planes * points, inputs)]
        self._entrance = read_layer(reader, inputs, width, groups + alone)
        self._hidden = [read_layer(reader, width, width) for _ in range(2 * network["blocks"])]
        self._policy = _read_rows(reader, width, table[TABLE.NUM_ACTIONS])
        self._value = _read_rows(reader, width, 1)
        self._codes = [q.ILLEGAL] * table[TABLE.NUM_ACTIONS]

    def __call__(self, position: Position) -> tuple[Vector, float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        observation, actions = self._observe(position)
        inputs = [observation[place] * factor for place, factor in self._inputs]
        codes = self._codes
        if self._depth is not None:
            q.code_steps(self._table, observation, 1, self._depth, codes)
            for numbers in zip(*q.CODES, strict=True):
                inputs += [numbers[code] for code in codes]
        hidden = relu(self._entrance(inputs))
        for first, second in zip(self._hidden[::2], self._hidden[1::2], strict=True):
            inner = second(relu(first(hidden)))
            hidden = relu([old + new for old, new in zip(hidden, inner, strict=True)])
        logits = []
        for action in position.actions:
            row, bias = self._policy[actions[action]]
            logits.append(sum(map(mul, row, hidden)) + bias + self._worth[codes[actions[action]]])
        ((row, bias),) = self._value
        return softmax(logits), tanh(sum(map(mul, row, hidden)) + bias)

    def _observe(self, position: Position) -> tuple[list[int], Sequence[int]]:
        """What the network is given, and the images of the actions there."""
        observation = self._observation
        rules.observe(self._table, position.state, position.earlier, observation, 0)
        if not self._images:
            return observation, self._same_actions
        seen = [(place, value) for place, value in enumerate(observation) if value]
        image = min(self._images, key=lambda image: image.weigh(seen))
        shown = [0] * len(observation)
        for place, value in seen:
            shown[image.places[place]] = value
        return shown, image.actions

    def _factor(self, plane: int, scale: Sequence[float]) -> float:
        """What a plane is multiplied by."""
        is_seen = self.sees_clock or _kind(self._table, plane) not in TABLE.PLANES_OF_CLOCK
        return 1 / scale[plane] if is_seen else 0.0


class _Image:
    """The image of observations under a symmetry."""

    def __init__(self, symmetry: Symmetry, points: int) -> None:
        self.places, self.actions = image_places(symmetry, points), symmetry.actions
        self._weights = [weight(place) for place in self.places]

    def weigh(self, seen: Sequence[tuple[int, int]]) -> int:
        """The weight of an image, from the places of the observation that are not 0 and their values."""
        return sum(value * self._weights[place] for place, value in seen)


def softmax(logits: Sequence[float]) -> Vector:
    """The softmax of some numbers."""
    highest = max(logits)
    weights = [exp(logit - highest) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]


def relu(numbers: Vector) -> Vector:
    """Negative numbers become 0."""
    return [number if number > 0 else 0.0 for number in numbers]


def _groups(table: Sequence[int], plane: int) -> list[range]:
    """The places of a plane in the observation, grouped by places that always hold the same number."""
    points = table[TABLE.POINTS]
    first = plane * points
    size = 1 if _kind(table, plane) in (TABLE.PLANE_WORD, TABLE.PLANE_POINT) else points
    return [range(place, place + size) for place in range(first, first + points, size)]


def _kind(table: Sequence[int], plane: int) -> int:
    return table[table[TABLE.PLANES] + TABLE.PLANE_SIZE * plane + TABLE.PLANE_KIND]


def read_layer(reader: WeightReader, inputs: int, units: int, groups: "Sequence[range] | None" = None) -> Layer:
    """Reads a layer; adds up the columns of each group, whose inputs are always equal."""
    weight = reader.read(inputs * units)
    columns = [weight.numbers[place::inputs] for place in range(inputs)]
    if groups is not None:
        columns = [list(map(sum, zip(*(columns[place] for place in group), strict=True))) for group in groups]
    return Layer(columns, weight.unit, reader.read(units).values)


def _read_rows(reader: WeightReader, inputs: int, units: int) -> list[tuple[Vector, float]]:
    """For each unit its weights and its bias."""
    weights = reader.read(inputs * units).values
    rows = [weights[first : first + inputs] for first in range(0, len(weights), inputs)]
    return list(zip(rows, reader.read(units).values, strict=True))
