"""Whole states: copied, compared, hashed; and the points that no piece may enter."""

from typing import Any

from ...game import state_layout as STATE
from ...game.kernel_arrays import WORD_BITS
from ..binding import inlined, kernel
from ..compiler import wrapped_product
from ..fields import Flag, Rules, State, Word
from ..splitmix import FIRST_FACTOR_63, SECOND_FACTOR_63
from ..words.integers import any_of, constant, where, wide


@inlined
def is_start(rules: Rules, state: State) -> Flag:
    """Whether the state is the start of the game. The clock is compared only if the game has a no-progress limit."""
    same = state[STATE.MEN] == rules[rules.start + STATE.MEN]
    if any_of(same):
        for place in range(rules.state_size):
            if place != STATE.QUIET or rules.no_progress_limit:
                same = same & (state[place] == rules[rules.start + place])
    return same


@kernel
def position_key(rules: Rules, state: State) -> Word:
    """A 63-bit hash of everything in the state except the clock."""
    key = constant(wide(state.player), 0)
    for place in range(rules.state_size):
        if place != STATE.QUIET:
            key = mix(key ^ wide(state[place]) + 1)
    if rules.points > WORD_BITS:
        for place in range(rules.state_size):
            key = mix(key ^ (wide(state[place]) >> WORD_BITS) + 1)
    return key


@inlined
def mix(word: Word) -> Word:
    """Mixes the 63 bits of a word, as SplitMix does."""
    word = wrapped_product(word ^ (word >> 30), FIRST_FACTOR_63)
    word = wrapped_product(word ^ (word >> 27), SECOND_FACTOR_63)
    return word ^ (word >> 31)


@inlined
def copy_state(rules: Rules, state: State, copied: Any) -> None:
    """Copies a state to `copied`."""
    for place in range(rules.state_size):
        copied[place] = state[place]


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
