"""What a plane of the observation shows, and the frame of a player."""

from ...game import state_layout as STATE, table_layout as TABLE
from ..binding import inlined
from ..compiler import reverse_bits
from ..fields import Rules, State, Word
from ..moves import point_of
from ..words.integers import constant, where
from .states import is_start


@inlined
def shown(rules: Rules, state: State, plane: int, earlier: Word) -> Word:
    """What a plane of the observation shows: a bitboard, in the frame of South, or the plane's value.

    Args:
      plane: The row of the plane in the step table.
      earlier: How often the position occurred before in this match.
    """
    kind = rules[plane + TABLE.PLANE_KIND]
    source = rules[plane + TABLE.PLANE_SOURCE]
    if kind == TABLE.PLANE_WORD or kind == TABLE.PLANE_NUMBER:
        return where(state.player == 0, state[source], state[rules[plane + TABLE.PLANE_SOURCE + 1]])
    if kind == TABLE.PLANE_POINT:
        point = state[source]
        return where(point >= 0, constant(state[STATE.MEN], 1) << point_of(point), 0)
    if kind == TABLE.PLANE_CLOCK:
        return state.quiet >> (0 if source == 1 else TABLE.CLOCK_SHIFT) & (TABLE.CLOCK_DIGIT - 1)
    if kind == TABLE.PLANE_OPENING:
        return where(is_start(rules, state), constant(state.player, 1), 0)
    if kind == TABLE.PLANE_PLAYER:
        return state.player
    return earlier


@inlined
def in_frame(rules: Rules, player: int, word: Word) -> Word:
    """A bitboard in the frame of a player."""
    turn = rules[TABLE.TURN + player]
    if turn == TABLE.NOT_TURNED:
        return word
    if turn == TABLE.HALF_TURN:
        return reverse_bits(word, rules.points)
    frame = rules[TABLE.FRAME] + player * rules.points
    seen = constant(word, 0)
    for point in range(rules.points):
        seen = seen | (word >> rules[frame + point] & 1) << point
    return seen
