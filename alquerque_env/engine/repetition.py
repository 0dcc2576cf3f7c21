"""Recognises positions that occur again in a match, for the text of the rules."""

from ..game import state_layout as STATE
from .binding import inlined, kernel
from .compiler import wrapped_product
from .fields import Rules, State, Word
from .splitmix import FIRST_FACTOR_63, SECOND_FACTOR_63
from .words.integers import constant, wide


@kernel
def position_key(rules: Rules, state: State) -> Word:
    """A 63-bit hash of everything in the state except the clock."""
    key = constant(wide(state.player), 0)
    for place in range(rules.state_size):
        if place != STATE.QUIET:
            key = mix(key ^ wide(state[place]) + 1)
    return key


@inlined
def mix(word: Word) -> Word:
    """Mixes the 63 bits of a word, as SplitMix does."""
    word = wrapped_product(word ^ (word >> 30), FIRST_FACTOR_63)
    word = wrapped_product(word ^ (word >> 27), SECOND_FACTOR_63)
    return word ^ (word >> 31)
