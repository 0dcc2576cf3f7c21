"""Methods of integers, and functions of `math`."""

from collections.abc import Iterable, Sequence
from math import (  # noqa: F401
    acos,
    asin,
    atan,
    atan2,
    ceil,
    copysign,
    cos,
    cosh,
    degrees,
    e,
    exp,
    fabs,
    floor,
    fmod,
    frexp,
    gcd,
    inf,
    isclose,
    isfinite,
    isinf,
    isnan,
    ldexp,
    log,
    log2,
    log10,
    modf,
    nan,
    pi,
    radians,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    tau,
    trunc,
)


def bit_length(number: int) -> int:
    """As `int.bit_length`."""
    return len(bin(number)) - (3 if number < 0 else 2) if number else 0


def bit_count(number: int) -> int:
    """As `int.bit_count`."""
    return bin(number).count("1")


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
