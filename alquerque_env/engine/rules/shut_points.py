"""The points that no piece may enter."""

from ..binding import inlined
from ..fields import Rules, State, Word
from ..words.integers import constant, where


@inlined
def shut_points(rules: Rules, state: State) -> Word:
    """The points that no piece may enter: where this chain may not land, and those closed for good."""
    shut = state.barred
    if rules.extras:
        if rules.num_parts:
            shut = shut | state.closed
        if rules.must_turn:
            shut = shut | state.ahead
    return shut


@inlined
def closed_points(rules: Rules, pieces: Word) -> Word:
    """The points of the empty parts of a board that shrinks, where the pieces stand so. A turn closes them for good."""
    closed = constant(pieces, 0)
    for part in range(rules.parts, rules.parts + rules.num_parts):
        closed = closed | where(pieces & rules[part] == 0, rules[part], 0)
    return closed
