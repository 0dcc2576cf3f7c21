"""What kernels are written with, in plain Python; `llvm.py` has the same for Numba. The exported player carries it."""

from typing import Any

from ...game.kernel_arrays import WORD_BITS

_MASK = (1 << WORD_BITS) - 1
_LANES = 8


def allocate(rows: int, count: int) -> list[list[int]]:
    """`rows` rows of `count` words, to be released."""
    return [[0] * count for _ in range(rows)]


def release(rows: Any) -> None:
    """Frees allocated rows."""


def wrapped_product(a: int, b: int) -> int:
    """Product modulo 2**63. Words from memory-mapped files are NumPy integers, which would overflow."""
    return int(a) * int(b) & _MASK


def wrapped_sum(a: int, b: int) -> int:
    """Sum modulo 2**63."""
    return int(a) + int(b) & _MASK


def fill_lanes(w: Any, place: int, word: int) -> None:
    """Sets all eight lanes from `place` on to one word."""
    for lane in range(_LANES):
        w[place + lane] = word


def invert_lanes(w: Any, place: int, s: Any, source: int) -> None:
    """Sets each lane of `w` to the complement of a lane of `s`."""
    for lane in range(_LANES):
        w[place + lane] = ~s[source + lane]


def narrow_lanes(t: Any, distances: int, origins: int, w: Any, parents: int, sees: int, words: int) -> int:
    """Keeps, in each lane, the origins from which a point at the lane's distance is set in the bitboard looked at.

    Args:
      t: The step table, with the distances and the origins that have a point at this distance.
      distances: Where the eight distances stand in `t`.
      origins: Where the eight bitboards of origins stand in `t`.
      w: Scratch words.
      parents: Where the origins to narrow stand in `w`.
      sees: Where the bitboards looked at stand in `w`.
      words: Where the results go in `w`.

    Returns:
      The lanes in which an origin is left, as bits.
    """
    left = 0
    for lane in range(_LANES):
        word = w[parents + lane] & t[origins + lane]
        if word:
            distance = t[distances + lane]
            seen = w[sees + lane]
            word &= seen >> distance if distance >= 0 else seen << -distance
            if word:
                left |= 1 << lane
        w[words + lane] = word
    return left


def count_lanes(w: Any, words: int) -> int:
    """Number of one bits in all lanes."""
    return sum([popcount(word) for word in w[words : words + _LANES] if word])  # most are 0


def find_lane(w: Any, words: int, index: int) -> int:
    """Finds the one bit at an index, if those of all lanes are counted from the first lane on.

    Returns:
      `lane << 32 | index within the lane`.
    """
    lane = 0
    while index >= popcount(w[words + lane]):
        index -= popcount(w[words + lane])
        lane += 1
    return lane << 32 | index


def clear_bytes(numbers: Any, count: int) -> None:
    """Sets the first `count` numbers to 0."""
    numbers[:count] = 0  # of an array


def spread_word(numbers: Any, place: int, word: int, count: int, room: int) -> None:  # noqa: ARG001
    """Writes 1 or 0 for each of the low `count` bits of a word, from `place` on."""
    numbers[place : place + count] = [word >> point & 1 for point in range(count)]


def reverse_bits(word: int, count: int) -> int:
    """The low `count` bits of a word in reverse order."""
    return int(f"{word:0{count}b}"[::-1], 2)


def popcount(word: int) -> int:
    """Number of one bits."""
    return bin(word).count("1")


def lowest(word: int) -> int:
    """Index of the lowest one bit of a word that is not 0."""
    return (word & -word).bit_length() - 1


def nth_bit(word: int, index: int) -> int:
    """Index of the one bit with `index` others below it."""
    for _ in range(index):
        word &= word - 1
    return lowest(word)
