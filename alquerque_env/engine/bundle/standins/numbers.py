"""A method of integers, and what the engine needs of `math`."""

from collections.abc import Sequence
from math import atan2, ceil, copysign, cos, exp, inf, log, radians, sin, sqrt, tanh, tau  # noqa: F401


def bit_length(number: int) -> int:
    """As `int.bit_length`."""
    return len(bin(number)) - (3 if number < 0 else 2) if number else 0


def hypot(x: float, y: float) -> float:
    """As `math.hypot`."""
    return sqrt(x * x + y * y)


def dist(one: Sequence[float], other: Sequence[float]) -> float:
    """As `math.dist`."""
    return sqrt(sum([(a - b) * (a - b) for a, b in zip(one, other, strict=True)]))
