"""Operations on vectors of matches on boards with more points than a word has bits: the names of `numpy_words.py`.

A set of points is a `WideSet`, a pair of words for each match. Numbers are arrays `[B]` as elsewhere.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from ...game.kernel_arrays import WORD_BITS

F = TypeVar("F", bound=Callable[..., Any])

MASK = (1 << WORD_BITS) - 1


class WideSet:
    """A set of points for each match.

    Operators take another set or an integer, a bitboard that is the same for all matches.

    Args:
      halves: int64 `[2, B]`, the first 63 points and the others, so that no word is negative.
    """

    __slots__ = ("halves",)
    __array_ufunc__ = None  # leaves operators with arrays to this class

    def __init__(self, halves: np.ndarray) -> None:
        self.halves = halves

    def __len__(self) -> int:
        return self.halves.shape[1]

    def __getitem__(self, matches: Any) -> "WideSet":
        return WideSet(self.halves[:, matches])

    def __setitem__(self, matches: Any, sets: "WideSet") -> None:
        self.halves[:, matches] = sets.halves

    def __and__(self, other: Any) -> "WideSet":
        return WideSet(self.halves & halves_of(other))

    def __or__(self, other: Any) -> "WideSet":
        return WideSet(self.halves | halves_of(other))

    def __xor__(self, other: Any) -> "WideSet":
        return WideSet(self.halves ^ halves_of(other))

    __rand__ = __and__

    def __invert__(self) -> "WideSet":
        return WideSet(self.halves ^ MASK)

    def __eq__(self, other: object) -> Any:
        same = self.halves == halves_of(other)
        return same[0] & same[1]

    def __ne__(self, other: object) -> Any:
        differs = self.halves != halves_of(other)
        return differs[0] | differs[1]

    __hash__ = None  # type: ignore[assignment]

    def __lshift__(self, points: np.ndarray) -> "WideSet":
        """Each set, which has the point 0 or none, with this point in its place."""
        is_low = points < WORD_BITS
        point = self.halves[0] << np.where(is_low, points, points - WORD_BITS)
        return WideSet(np.stack([np.where(is_low, point, 0), np.where(is_low, 0, point)]))


def halves_of(points: Any) -> np.ndarray:
    """The halves of a set, or those of an integer, `[2, 1]`."""
    return points.halves if isinstance(points, WideSet) else _halves(points)


@lru_cache(maxsize=1 << 14)
def _halves(points: int) -> np.ndarray:
    return np.array([[points & MASK], [points >> WORD_BITS]])


def kernel(function: F) -> F:
    """Does nothing: NumPy needs no compiler."""
    return function


inlined = kernel


def no(flags: np.ndarray) -> np.ndarray:
    """The flags that are not set."""
    return ~flags


def never(flags: np.ndarray) -> np.ndarray:
    """Flags that are not set, as many as others."""
    return np.zeros_like(flags)


def any_of(flags: np.ndarray) -> bool:
    """Whether any flag is set."""
    return bool(flags.any())


def where(flags: np.ndarray, one: Any, other: Any) -> Any:
    """The one where a flag is set, else the other: sets, if one of them is a set, else numbers."""
    if isinstance(one, WideSet) or isinstance(other, WideSet):
        return WideSet(np.where(flags, halves_of(one), halves_of(other)))
    return np.where(flags, one, other)


def constant(like: Any, value: int) -> Any:
    """A set or a number that is the same for all matches, of the kind of another word."""
    if isinstance(like, WideSet):
        return WideSet(np.repeat(_halves(value), len(like), axis=1))
    return np.full_like(like, value)


def of_player(player: int, sequence: Any, place: int) -> Any:
    """`sequence[place + player]`."""
    return sequence[place + player]


def give_to_player(player: int, words: Any, place: int, own: Any, other: Any) -> None:
    """Sets `words[place + player]` to `own` and the opponent's word to `other`."""
    words[place + player], words[place + 1 - player] = own, other


def shifted(points: WideSet, distance: int) -> WideSet:
    """Shifts sets by `distance`: point `p` of the result is point `p + distance`. Others are arbitrary."""
    low, high = points.halves
    found = np.empty_like(points.halves)
    if 0 <= distance < WORD_BITS:
        found[0], found[1] = low >> distance | high << WORD_BITS - distance & MASK, high >> distance
    elif -WORD_BITS < distance < 0:
        found[0], found[1] = low << -distance & MASK, high << -distance & MASK | low >> WORD_BITS + distance
    elif distance > 0:
        found[0], found[1] = high >> distance - WORD_BITS, 0
    else:
        found[0], found[1] = 0, low << -distance - WORD_BITS & MASK
    return WideSet(found)


def count_each(points: WideSet) -> np.ndarray:
    """Number of points in each set."""
    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(points.halves).sum(0, dtype=np.int64)
    parts = np.ascontiguousarray(points.halves.T).view(np.uint8)
    return np.unpackbits(parts, axis=1).sum(1, dtype=np.int64)


def gather(numbers: np.ndarray, index: np.ndarray) -> np.ndarray:
    """`numbers[index]` for each match."""
    return numbers[index]
