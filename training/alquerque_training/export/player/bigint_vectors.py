"""Matrix-vector products with CPython's big integers as vectors.

A column of the matrix is one big integer with a lane of 64 bits for each row. A product with an element of the vector
multiplies all lanes at once, and the sum over the columns holds the product of each row in its lane.

A lane holds a 16-bit digit of the weights; larger weights have two digits. The elements of the vector are rounded to as
many bits as the largest sum of a row leaves free.
"""

import sys
from array import array
from collections.abc import Sequence
from itertools import compress
from math import frexp, ldexp
from operator import mul

DIGIT_BITS = 16
LANE_BYTES = 8
SUM_BITS = 62  # of a lane, which has a sign
FACTOR_BITS = 52  # of a float


class Layer:
    """`weight @ vector + bias`.

    Args:
      columns: Those of the weight, as multiples of the unit.
      unit: What a 1 stands for.
      bias: Added to the products.
    """

    def __init__(self, columns: Sequence[Sequence[int]], unit: float, bias: Sequence[float]) -> None:
        self._unit = unit
        self._bias = bias
        digits = _split(columns)
        self._factor_bits = min(FACTOR_BITS, SUM_BITS - max(map(_largest_sum, digits)).bit_length())
        self._digits = [[_join(column) for column in digit] for digit in digits]

    def __call__(self, vector: Sequence[float]) -> list[float]:
        """The outputs."""
        # A power of two, so that only the factors are rounded.
        exponent = self._factor_bits - frexp(max(max(vector), -min(vector)))[1]
        scale = ldexp(1.0, exponent)
        factors = [int(element * scale + 0.5) for element in vector]
        unit = ldexp(self._unit, -exponent)
        return [total * unit + bias for total, bias in zip(self._totals(factors), self._bias, strict=True)]

    def _totals(self, factors: Sequence[int]) -> Sequence[int]:
        lowest, *higher = [self._sums(columns, factors) for columns in self._digits]
        for place, sums in enumerate(higher, 1):
            lowest = [total + (digit << place * DIGIT_BITS) for total, digit in zip(lowest, sums, strict=True)]
        return lowest

    def _sums(self, columns: Sequence[int], factors: Sequence[int]) -> Sequence[int]:
        """The lanes of the sum. The lane after a negative one is too small by 1, which is negligible."""
        total = sum(map(mul, compress(columns, factors), filter(None, factors)))
        return memoryview(total.to_bytes(LANE_BYTES * len(self._bias), sys.byteorder, signed=True)).cast("q").tolist()


def _split(columns: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """Digits from the lowest to the highest, each in all columns; as many as are needed, and at least one."""
    half = 1 << DIGIT_BITS - 1
    digits: list[list[list[int]]] = []
    rest = [list(column) for column in columns]
    while not digits or any(map(any, rest)):
        digits.append([[(number + half) % (2 * half) - half for number in column] for column in rest])
        rest = [[number + half >> DIGIT_BITS for number in column] for column in rest]
    return digits


def _largest_sum(columns: Sequence[Sequence[int]]) -> int:
    """The largest absolute sum of a row with factors 1 and -1."""
    return max(sum(map(abs, row)) for row in zip(*columns, strict=True))


def _join(column: Sequence[int]) -> int:
    """One number with an element in each lane."""
    half = 1 << DIGIT_BITS
    lanes = array("q", [number + half for number in column])
    offset = array("q", [half]) * len(column)
    return int.from_bytes(lanes.tobytes(), sys.byteorder) - int.from_bytes(offset.tobytes(), sys.byteorder)
