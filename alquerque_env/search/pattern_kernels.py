"""The value of a quiet position by patterns: the static evaluation, and a learned weight for what each pattern shows.

A pattern is a few points in an order. What stands on them, seen by the player to move, is a number whose digits are 0
for an empty point, 1 and 2 for a man, and in patterns that see kings 3 and 4 for a king, of the player and of the
opponent. The number is the place of a weight. The numbers of all patterns are added up five points of the board at a
time, from a table. One more weight is that of the numbers of pieces of both sides.

Sources: Bledsoe and Browning 1959, Pattern Recognition and Reading by Machine (n-tuples); Buro 1999, From Simple
Features to Sophisticated Evaluation Functions.
"""

from typing import Any, NamedTuple

from ..engine.compiler import entry_kernel, inlined, kernel, popcount
from ..engine.kernel_types import Table, Words
from ..game import state_layout as STATE
from ..game.kernel_arrays import constants, short_words
from .static_evaluation import evaluate

# The words of a set of patterns: how many words hold the numbers of all patterns (0 without patterns), how many of
# these, the first ones, hold those of patterns that see men only, the words of a view, how many numbers of pieces a
# side can have, and for each player the place of the weight of no pieces. From HEAD on the view of each player: the
# places of the first weights, then for each five points and each set of them what a digit of 1 there adds to the
# numbers. A word holds the numbers of several patterns, so that they are added up at once.
WIDTH, MEN_ONLY, VIEW_SIZE, COUNTS, NO_PIECES, HEAD = 0, 1, 2, 3, 4, 6
POINTS_AT_ONCE = 5
AT_ONCE, NUMBER_BITS = 3, 21
NUMBER = (1 << NUMBER_BITS) - 1

WEIGHT_BITS = 5
"""A weight is in hundredths of a man, times two to this power."""
MOST = 20_000
"""The greatest value of a position that is not known to be won."""


class PatternArrays(NamedTuple):
    """What `judge` takes beside the features of the static evaluation.

    Attributes:
      patterns: int64, the words of a set of patterns, which may be empty.
      weights: int16 `[W + 1]`, their weights, and behind them a 0 for the places of words that no pattern has.
      numbers: int64, room for a word of numbers for each of `WIDTH`.
    """

    patterns: Table
    weights: Any
    numbers: Words


NO_PATTERNS = PatternArrays(constants([0] * HEAD), short_words([0]), constants([0]))


@kernel
def judge(t: Table, s: Table, features: Table, patterns: Table, weights: Any, numbers: Words) -> int:
    """The value of a position for the player to move; without patterns, the static evaluation alone."""
    value = evaluate(t, s, features)
    if patterns[WIDTH] == 0:
        return value
    _read(s, patterns, numbers)
    learned = int(weights[_place_of_counts(s, patterns)])
    for index in range(patterns[WIDTH]):
        word = numbers[index]
        learned += int(weights[word & NUMBER])
        learned += int(weights[word >> NUMBER_BITS & NUMBER])
        learned += int(weights[word >> 2 * NUMBER_BITS])
    return max(-MOST, min(value + (learned >> WEIGHT_BITS), MOST))


judge_one = entry_kernel(judge)
"""As `judge`, called from Python."""


@inlined
def _place_of_counts(s: Table, patterns: Table) -> int:
    """The place of the weight of the numbers of pieces."""
    player, left = s[STATE.PLAYER], ~s[STATE.CAPTURED]
    own = popcount((s[STATE.MEN + player] | s[STATE.KINGS + player]) & left)
    theirs = popcount((s[STATE.MEN + 1 - player] | s[STATE.KINGS + 1 - player]) & left)
    return patterns[NO_PIECES + player] + own * patterns[COUNTS] + theirs


@kernel
def _read(s: Table, patterns: Table, numbers: Words) -> None:
    """Writes the place of the weight of each pattern."""
    player, left, width = s[STATE.PLAYER], ~s[STATE.CAPTURED], patterns[WIDTH]
    first = HEAD + player * patterns[VIEW_SIZE]
    for index in range(width):
        numbers[index] = patterns[first + index]
    _add(patterns, first, 0, s[STATE.MEN + player] & left, 1, numbers)
    _add(patterns, first, 0, s[STATE.MEN + 1 - player] & left, 2, numbers)
    if patterns[MEN_ONLY] < width:
        _add(patterns, first, patterns[MEN_ONLY], s[STATE.KINGS + player] & left, 3, numbers)
        _add(patterns, first, patterns[MEN_ONLY], s[STATE.KINGS + 1 - player] & left, 4, numbers)


@inlined
def _add(patterns: Table, first: int, least: int, points: int, digit: int, numbers: Words) -> None:
    """Adds the pieces on some points, which count as a digit, to the numbers in the words from `least` on."""
    width = patterns[WIDTH]
    table = first + width
    while points:
        row = table + (points & (1 << POINTS_AT_ONCE) - 1) * width
        for index in range(least, width):
            numbers[index] += digit * patterns[row + index]
        points >>= POINTS_AT_ONCE
        table += width << POINTS_AT_ONCE
