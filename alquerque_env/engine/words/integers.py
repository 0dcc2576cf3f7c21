"""The words of the rules for one match: plain Python integers, or compiled ones.

A function of one expression is written out where the rules call it, so that it costs nothing without compilation.
`torch_words.py` has the same names for many matches at once.
"""

from typing import Any

from ...game import state_layout as STATE
from ..compiler import inlined, kernel, popcount  # noqa: F401 - the decorators of the text are those of the kind
from ..fields import Flag, Word


def mover(state: Any, scratch: Any) -> Word:
    """The player to move."""
    return state[STATE.PLAYER]


def constant(like: Word, value: int) -> Word:
    """An integer as a word like another one."""
    return value


def wide(word: Word) -> Word:
    """The word with room for a hash."""
    return word


def never(like: Flag) -> Flag:
    """A flag that is not set."""
    return False


def no(flag: Flag) -> Flag:
    """Whether a flag is not set."""
    return not flag


def any_of(flag: Flag) -> bool:
    """Whether a flag is set, in any match."""
    return flag


def where(flag: Flag, word: Word, other: Word) -> Word:
    """The one word if a flag is set, else the other."""
    return word if flag else other


def of_player(player: Word, words: Any, place: int) -> Word:
    """The word of a player among the two at a place."""
    return words[place + player]


def give_to_player(player: Word, words: Any, place: int, own: Word, other: Word) -> None:
    """Overwrites the word of a player, and that of the opponent, at a place."""
    words[place + player] = own
    words[place + 1 - player] = other


def shifted(word: Word, distance: int) -> Word:
    """Shifts a bitboard by `distance`: bit `p` of the result is bit `p + distance`. Bits beyond the board are any."""
    return word >> distance if distance >= 0 else word << -distance


def count_each(word: Word) -> Word:
    """Number of one bits."""
    return popcount(word)
