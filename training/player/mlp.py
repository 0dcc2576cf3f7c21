"""Evaluates a `training.network.ResidualMlp` with plain lists of numbers, one position at a time.

The slow way is `sum(weight * input)` for each unit. What makes it bearable: the first layer only adds up the columns of
the inputs that are not 0, of which there are few, and the policy is computed for the legal actions only.
"""

import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from math import exp, tanh
from operator import mul
from typing import Any

from alquerque_env import engine as e
from training.player.packing import pack, unpack
from training.player.position import Position

try:
    from math import sumprod as dot  # type: ignore[attr-defined]
except ImportError:  # before Python 3.12

    def dot(a: Sequence[float], b: Sequence[float]) -> Any:
        """The scalar product."""
        return sum(map(mul, a, b))


Vector = list[float]
Layer = list[tuple[Vector, float]]  # for each unit its weights and its bias

FLOAT_BYTES = 4


def pack_weights(numbers: Sequence[float]) -> str:
    """Packs numbers in single precision: first the lowest bytes of all of them, last the highest, which compress."""
    single = array("f", numbers)
    if sys.byteorder == "big":
        single.byteswap()
    raw = single.tobytes()
    return pack(b"".join(raw[place::FLOAT_BYTES] for place in range(FLOAT_BYTES)))


def unpack_weights(text: str) -> Vector:
    """The numbers of packed weights."""
    planes = unpack(text)
    count = len(planes) // FLOAT_BYTES
    raw = bytearray(len(planes))
    for place in range(FLOAT_BYTES):
        raw[place::FLOAT_BYTES] = planes[place * count : (place + 1) * count]
    single = array("f", bytes(raw))
    if sys.byteorder == "big":
        single.byteswap()
    return single.tolist()


class Mlp:
    """A network with its weights.

    Args:
      table: The game's table.
      network: Width and number of blocks.
      weights: Packed: the scale of the planes, then weights (row by row) and bias of the layers in the order of the
        network's definition.
    """

    def __init__(self, table: Sequence[int], network: tuple[int, int], weights: str) -> None:
        width, blocks = network
        planes, points = table[e.T_NUM_PLANES], table[e.T_POINTS]
        numbers = iter(unpack_weights(weights))
        scale = list(islice(numbers, planes))
        entrance = _read_layer(numbers, planes * points, width)
        self._table = table
        self._observation = [0] * (planes * points)
        self._bias = [bias for _, bias in entrance]
        self._inputs = [entry for plane in range(planes) for entry in _columns(table, entrance, plane, scale[plane])]
        self._hidden = [_read_layer(numbers, width, width) for _ in range(2 * blocks)]
        self._policy = _read_layer(numbers, width, table[e.T_NUM_ACTIONS])
        self._value = _read_layer(numbers, width, 1)

    def __call__(self, position: Position) -> tuple[Vector, float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        hidden = self._enter(position)
        for first, second in zip(self._hidden[::2], self._hidden[1::2], strict=True):
            inner = [max(0.0, dot(row, hidden) + bias) for row, bias in first]
            hidden = [max(0.0, old + dot(row, inner) + bias) for old, (row, bias) in zip(hidden, second, strict=True)]
        logits = [dot(row, hidden) + bias for row, bias in (self._policy[action] for action in position.actions)]
        ((row, bias),) = self._value
        return softmax(logits), tanh(dot(row, hidden) + bias)

    def _enter(self, position: Position) -> Vector:
        """The first layer."""
        observation = self._observation
        e.observe(self._table, position.state, position.earlier, observation, 0)
        summands = [self._bias]
        for place, column in self._inputs:
            number = observation[place]
            if number:
                summands.append(column if number == 1 else [number * weight for weight in column])
        return [max(0.0, total) for total in map(sum, zip(*summands, strict=True))]


def _columns(table: Sequence[int], layer: Layer, plane: int, scale: float) -> Iterator[tuple[int, Vector]]:
    """The columns of a plane, each with its place in the observation; one where all points hold the same number."""
    points = table[e.T_POINTS]
    places = range(plane * points, (plane + 1) * points)
    kind = table[table[e.T_PLANES] + e.PLANE_SIZE * plane + e.PLANE_KIND]
    if kind in (e.PLANE_WORD, e.PLANE_POINT):
        for place in places:
            yield place, [row[place] / scale for row, _ in layer]
    else:
        yield places[0], [sum(row[places[0] : places[-1] + 1]) / scale for row, _ in layer]


def softmax(logits: Sequence[float]) -> Vector:
    """Probabilities in proportion to the exponentials of some numbers."""
    highest = max(logits)
    weights = [exp(logit - highest) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]


def _read_layer(numbers: Iterator[float], inputs: int, units: int) -> Layer:
    rows = [list(islice(numbers, inputs)) for _ in range(units)]
    return list(zip(rows, islice(numbers, units), strict=True))
