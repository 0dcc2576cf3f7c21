"""The part of `numpy.random` that bots use. Its numbers are others than NumPy's."""

from random import getrandbits, seed as set_seed
from typing import Any

_BITS = 24


class _Generator:
    """As `numpy.random.Generator`."""

    def integers(self, low: int, high: int | None = None) -> int:
        """A number from 0 below `low`, or from `low` below `high`, each with the same probability."""
        first, end = (0, low) if high is None else (low, high)
        return first + _below(end - first)

    def shuffle(self, items: list[Any]) -> None:
        """Changes the order of items."""
        for place in range(len(items) - 1, 0, -1):
            other = _below(place + 1)
            items[place], items[other] = items[other], items[place]


def _below(end: int) -> int:
    """A number from 0 below `end`; draws of more bits than that show no pattern."""
    number = 0
    while end >> number:
        number += _BITS
    drawn = 0
    for _ in range(number // _BITS + 1):
        drawn = drawn << _BITS | getrandbits(_BITS)
    return drawn % end


class random:  # noqa: N801
    """As the module `numpy.random`."""

    @staticmethod
    def default_rng(seed: int | None = None) -> _Generator:
        """As `numpy.random.default_rng`."""
        if seed is not None:
            set_seed(seed)
        return _Generator()
