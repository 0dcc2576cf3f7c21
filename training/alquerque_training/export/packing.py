"""Packs bytes as text for a source file, and weights as integers: multiples of a power of two.

A tensor is written as the exponent of its unit, the number of bytes of an integer, and the integers: first the lowest
bytes of all of them, last the highest. Weights rounded by `quantise` are packed exactly and take one byte each. For
other weights the unit is at least 2**-27 of the largest weight, and each takes four bytes.
"""

import struct
import zlib
from array import array
from base64 import b85decode, b85encode
from collections.abc import Iterable, Sequence
from math import frexp, ldexp
from typing import NamedTuple

COLUMNS = 116
HEAD = struct.Struct("<hB")
FINEST_BITS = 27


def pack(data: bytes) -> str:
    """Compresses bytes to lines of text."""
    text = b85encode(zlib.compress(data, 9)).decode()
    return "\n".join(text[first : first + COLUMNS] for first in range(0, len(text), COLUMNS))


def unpack(text: str) -> bytes:
    """The bytes of a packed text."""
    return zlib.decompress(b85decode("".join(text.split())))


class Tensor(NamedTuple):
    """Numbers as multiples of a unit, row by row."""

    numbers: Sequence[int]
    unit: float

    @property
    def values(self) -> list[float]:
        """The numbers themselves."""
        return [number * self.unit for number in self.numbers]


def pack_weights(tensors: Iterable[Sequence[float]]) -> str:
    """Packs the numbers of some tensors, each in the precision of its grid."""
    return pack(b"".join(map(_write, tensors)))


class WeightReader:
    """Reads packed tensors one after another."""

    def __init__(self, text: str) -> None:
        self._data = unpack(text)
        self._place = 0

    def read(self, count: int) -> Tensor:
        """The next tensor, of `count` numbers."""
        exponent, size = HEAD.unpack(self._take(HEAD.size))
        planes = [self._take(count) for _ in range(size)]
        numbers = array("b", planes.pop()).tolist()
        while planes:
            numbers = [256 * high + low for high, low in zip(numbers, planes.pop(), strict=True)]
        return Tensor(numbers, ldexp(1.0, exponent))

    def _take(self, count: int) -> bytes:
        self._place += count
        return self._data[self._place - count : self._place]


def _write(numbers: Sequence[float]) -> bytes:
    exponent = grid_exponent(numbers)
    whole = [round(ldexp(number, -exponent)) for number in numbers]
    size = max(number.bit_length() for number in whole) // 8 + 1  # a bit for the sign
    raw = b"".join(number.to_bytes(size, "little", signed=True) for number in whole)
    return HEAD.pack(exponent, size) + b"".join(raw[place::size] for place in range(size))


def grid_exponent(numbers: Sequence[float]) -> int:
    """The largest exponent of 2 of which all numbers are multiples, but not below the finest unit."""
    largest = max(map(abs, numbers))
    if largest == 0:
        return 0
    fractions = (number.as_integer_ratio() for number in numbers if number)
    finest = min((above & -above).bit_length() - below.bit_length() for above, below in fractions)
    return max(finest, frexp(largest)[1] - FINEST_BITS)
