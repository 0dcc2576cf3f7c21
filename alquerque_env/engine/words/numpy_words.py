"""Operations on vectors of matches: by Numba where it is installed (`simd_words.py`), else by NumPy.

A vector holds one integer of 32 or 64 bits for each of several matches: a SIMD vector when compiled, else an array
`[B]`. There is one difference: a compiled kernel takes the players to move as a vector, a NumPy kernel takes matches
in which one player is to move, since selecting by player costs NumPy as much time as any other operation.
"""

from typing import Any

from ...game.kernel_arrays import JIT
from ..compiler import inlined
from ..kernel_types import Vector, Vectors

kernel = inlined  # all of the rules are compiled into the kernels of a batch


def no(flags: Vector) -> Vector:
    """The flags that are not set."""
    return ~flags


def never(flags: Vector) -> Vector:
    """Flags that are not set, as many as others."""
    return flags & ~flags


if JIT:
    from .simd_words import (
        any_of,
        constant,
        count_each,
        draw_below,
        gather,
        gather_rows,
        give_to_player,
        nth_point,
        of_player,
        shifted,
        vectors_of,
        where,
    )
else:
    import numpy as np

    from ..splitmix import INCREMENT, mixed

    where = np.where

    def vectors_of(array: Vectors) -> Vectors:
        """The same array."""
        return array

    def constant(like: Vector, value: int) -> Vector:
        """A vector of the type of another one with one integer in all lanes."""
        return np.full_like(like, value)

    def any_of(flags: Vector) -> bool:
        """Whether any flag is set."""
        return flags.any()

    def of_player(player: int, sequence: Any, place: int) -> Any:
        """`sequence[place + player]`."""
        return sequence[place + player]

    def give_to_player(player: int, vectors: Vectors, place: int, own: Vector, other: Vector) -> None:
        """Sets `vectors[place + player]` to `own` and the opponent's vector to `other`."""
        vectors[place + player], vectors[place + 1 - player] = own, other

    def shifted(vector: Vector, distance: int) -> Vector:
        """Shifts bitboards by `distance`: bit `p` of the result is bit `p + distance`. Others are arbitrary."""
        return vector >> distance if distance >= 0 else vector << -distance

    def count_each(vector: Vector) -> Vector:
        """Number of one bits in each lane."""
        if hasattr(np, "bitwise_count"):
            return np.bitwise_count(vector).astype(vector.dtype)
        parts = vector.view(np.uint8).reshape(len(vector), -1)
        return np.unpackbits(parts, axis=1).sum(1, dtype=vector.dtype)

    def nth_point(vector: Vector, index: Vector) -> Vector:
        """In each lane the index of the one bit with `index` others below it; arbitrary if there is none."""
        point = np.zeros_like(vector)
        width = vector.itemsize * 4
        while width:
            below = count_each(vector & ((1 << width) - 1))
            passes = index >= below
            index = index - np.where(passes, below, 0)
            skipped = np.where(passes, width, 0).astype(vector.dtype)
            vector, point = vector >> skipped, point + skipped
            width //= 2
        return point

    def gather(numbers: Any, index: Vector) -> Vector:
        """`numbers[index]` in each lane."""
        return numbers[index]

    def gather_rows(vectors: Vectors, index: Vector) -> Vector:
        """In each lane the integer of `vectors[index]` in this lane."""
        return vectors[index, np.arange(len(index))]

    def draw_below(states: Any, n: Vector) -> Vector:
        """In each lane a pseudo-random integer in [0, n), n below 2**31. `states` has a SplitMix state a lane."""
        states += np.uint64(INCREMENT)
        return ((mixed(states) >> np.uint64(32)) * n.astype(np.uint64) >> np.uint64(32)).astype(n.dtype)
