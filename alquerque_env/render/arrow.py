"""The shape of the arrow along the way of a turn."""

import math

from .curves import Place
from .geometry import UNIT


def arrow(way: list[Place], before: float, behind: float) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Returns the places of the shaft, from the head back, and the corners of the head.

    Args:
      way: The places that the piece passes, at least two.
      before: Length of the way at its beginning that stays free.
      behind: Length at its end that stays free.
    """
    to_tip = _cut(way, behind)
    to_neck = _cut(to_tip, 0.2 * UNIT)
    return tuple(_cut(to_neck[::-1], before)), _head(to_tip[-1], to_neck[-1], 0.26 * UNIT, 0.17 * UNIT)


def _towards(origin: Place, target: Place, distance: float) -> Place:
    share = distance / (math.dist(origin, target) or 1.0)
    return origin[0] + (target[0] - origin[0]) * share, origin[1] + (target[1] - origin[1]) * share


def _cut(way: list[Place], distance: float) -> list[Place]:
    while len(way) > 2 and (length := math.dist(way[-1], way[-2])) <= distance:
        distance -= length
        way = way[:-1]
    return [*way[:-1], _towards(way[-1], way[-2], distance)]


def _head(tip: Place, origin: Place, length: float, half_breadth: float) -> tuple[Place, ...]:
    base = _towards(tip, origin, length)
    across = ((base[1] - tip[1]) / length * half_breadth, (tip[0] - base[0]) / length * half_breadth)
    return tip, (base[0] + across[0], base[1] + across[1]), (base[0] - across[0], base[1] - across[1])
