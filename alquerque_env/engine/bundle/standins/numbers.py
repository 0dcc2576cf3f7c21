"""Methods of integers, and functions of `math`."""

from collections.abc import Iterable, Sequence
from math import (  # noqa: F401  `math` is replaced by this module
    atan2,
    ceil,
    cos,
    exp,
    floor,
    inf,
    isfinite,
    isinf,
    isnan,
    log,
    pi,
    sin,
    sqrt,
    tau,
)


def bit_length(number: int) -> int:
    """As `int.bit_length`."""
    number = -number if number < 0 else number
    length = 0
    while number >> 64:
        number >>= 64
        length += 64
    while number:
        number >>= 1
        length += 1
    return length


def bit_count(number: int) -> int:
    """As `int.bit_count`."""
    number = -number if number < 0 else number
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


def hypot(x: float, y: float) -> float:
    """As `math.hypot`."""
    return sqrt(x * x + y * y)


def dist(one: Sequence[float], other: Sequence[float]) -> float:
    """As `math.dist`."""
    return sqrt(sum([(a - b) * (a - b) for a, b in zip(one, other, strict=True)]))


def prod(numbers: Iterable[int]) -> int:
    """As `math.prod`."""
    product = 1
    for number in numbers:
        product *= number
    return product
