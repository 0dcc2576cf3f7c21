"""Action bits from the planes of legal actions, and bitboards in the frame of the player to move.

Compiled only: NumPy spreads bits to bytes faster than it moves them.
"""

from ..engine.compiler import inlined
from ..engine.kernel_types import Table, Vector, Vectors
from ..engine.simd_layout import *
from ..engine.words.simd_words import any_of, constant, reversed_points, shifted, where
from ..game import table_layout as e
from ..game.ruleset import NORTH, SOUTH


@inlined
def write_action_bits(t: Table, c: Table, player: Vector, w: Vectors, ongoing: Vector) -> None:
    """Writes the legal actions of ongoing matches as bits; zeros for the others."""
    south, north = ongoing & (player == SOUTH), ongoing & (player == NORTH)
    w[c[C_TALLIES] - 1] = 0
    for word in range(c[C_NUM_MASK_WORDS]):
        w[c[C_MASK_BITS] + word] = 0
    moves = c[C_MOVES]
    for source in range(c[C_SOURCES], c[C_MOVES], SOURCE_SIZE):
        other = w[c[source + SOURCE + NORTH]]
        if c[source + IS_TURNED]:
            other = reversed_points(other, t[e.T_POINTS])
        found = where(south, w[c[source + SOURCE]], where(north, other, 0))
        end = c[source + MOVES_END]
        if any_of(found != 0):
            _move_bits(c, w, moves, end, found)
        moves = end


@inlined
def _move_bits(c: Table, w: Vectors, moves: int, end: int, found: Vector) -> None:
    while moves < end:
        word = c[C_MASK_BITS] + c[moves + TO_WORD]
        end_of_word = c[moves + TO_WORD_END]
        moves += TO_WORD_SIZE
        bits = w[word]
        while moves < end_of_word:
            bits = bits | (shifted(found, c[moves + DISTANCE_TO]) & c[moves + BITS_TO])
            moves += MOVE_SIZE
        w[word] = bits


@inlined
def in_frame(t: Table, player: Vector, word: Vector) -> Vector:
    """Bitboards in the frame of the player to move."""
    return where(player == SOUTH, _in_frame_of(t, SOUTH, word), _in_frame_of(t, NORTH, word))


@inlined
def _in_frame_of(t: Table, player: int, word: Vector) -> Vector:
    turn = t[e.T_TURN + player]
    if turn == e.HALF_TURN:
        return reversed_points(word, t[e.T_POINTS])
    if turn == e.NOT_TURNED:
        return word
    frame = t[e.T_FRAME] + player * t[e.T_POINTS]
    seen = constant(word, 0)
    for point in range(t[e.T_POINTS]):
        seen = seen | (word >> t[frame + point] & 1) << point
    return seen
