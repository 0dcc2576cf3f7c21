"""Operations on vectors of matches by PyTorch, on any device: the names of `integers.py`.

A vector is an integer tensor `[B]`, and vectors are a list of them. Nothing here waits for the device: every branch is
taken, and `where` chooses for each match. The players to move are a vector.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from ..kernel_types import Vector, Vectors

F = TypeVar("F", bound=Callable[..., Any])

MASK = (1 << 63) - 1
# What is added to a term or factor below 2**63 to make it negative, which changes nothing modulo 2**63. A C++ compiler
# takes sums and products of numbers that are not negative for not negative, and would leave out `& MASK` behind them.
LOWEST = -1 << 63


def kernel(function: F) -> F:
    """Does nothing: PyTorch compiles a whole step, see `batch/torch_batch.py`."""
    return function


inlined = kernel


def no(flags: Vector) -> Vector:
    """The flags that are not set."""
    return ~flags


def never(flags: Vector) -> Vector:
    """Flags that are not set, as many as others."""
    return flags & ~flags


def any_of(flags: Vector) -> bool:  # noqa: ARG001
    """True: to find out would be to wait for the device."""
    return True


def constant(like: Vector, value: int) -> Vector:
    """A vector of the type of another one with one integer for all matches."""
    return torch.full_like(like, value)


def wide(vector: Vector) -> Vector:
    """The vector in 64 bits."""
    return vector.to(torch.int64)


def wrapped_sum(vector: Vector, other: Any) -> Vector:
    """The sum modulo 2**63."""
    return vector + (other + LOWEST) & MASK


def wrapped_product(vector: Vector, factor: Any) -> Vector:
    """The product modulo 2**63."""
    return vector * (factor + LOWEST) & MASK


def where(flags: Vector, one: Vector, other: Vector) -> Vector:
    """The one where a flag is set, else the other; at least one of them is a vector."""
    return torch.where(flags, one, other)


def of_player(player: Vector, sequence: Any, place: int) -> Vector:
    """`sequence[place + player]`: an integer where both players have the same, else a vector."""
    south, north = sequence[place], sequence[place + 1]
    if not isinstance(south, int):
        return torch.where(player == 0, south, north)
    return south if south == north else player * (north - south) + south


def give_to_player(player: Vector, vectors: Vectors, place: int, own: Vector, other: Vector) -> None:
    """Sets the vectors of the players to move to `own` and those of their opponents to `other`."""
    vectors[place], vectors[place + 1] = torch.where(player == 0, own, other), torch.where(player == 0, other, own)


def shifted(vector: Vector, distance: Any) -> Vector:
    """Shifts bitboards by `distance`: bit `p` of the result is bit `p + distance`. Others are arbitrary."""
    if not isinstance(distance, int):
        return torch.where(distance >= 0, vector >> distance.clamp(min=0), vector << (-distance).clamp(min=0))
    return vector >> distance if distance >= 0 else vector << -distance


def count_each(vector: Vector) -> Vector:
    """Number of one bits for each match; the words are not negative."""
    bits = vector.element_size() * 8
    ones = (1 << bits - 1) - 1
    pairs, fours, eights = (ones & sum(pattern << at for at in range(0, bits, 8)) for pattern in (0x55, 0x33, 0x0F))
    vector = vector - (vector >> 1 & pairs)
    vector = (vector & fours) + (vector >> 2 & fours)
    vector = vector + (vector >> 4) & eights
    for width in (8, 16, 32)[: bits // 32 + 1]:
        vector = vector + (vector >> width)
    return vector & 0x7F


def gather(numbers: Any, index: Vector) -> Vector:
    """`numbers[index]` for each match."""
    return numbers[index]
