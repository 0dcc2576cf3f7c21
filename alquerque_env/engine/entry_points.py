"""The kernels of `rules/` for callers in Python: each takes arrays and passes pointers on.

Arguments are as in `rules/`, made by `words` and `constants` of `game/kernel_arrays.py`. They are not checked.
"""

from . import random_play, rules_scalar as rules
from .compiler import borrowed, entry_kernel
from .kernel_types import Table, Words


@entry_kernel
def legal_actions(t: Table, s: Table, w: Words, actions: Words) -> int:
    """Fills `actions` with the legal actions and returns their number, also where the match has ended."""
    return rules.legal_actions(borrowed(t), borrowed(s), borrowed(w), borrowed(actions))


@entry_kernel
def apply_action(t: Table, s: Words, w: Words, action: int) -> None:
    """Changes the state to the one after a legal action."""
    rules.apply_action(borrowed(t), borrowed(s), borrowed(w), action)


@entry_kernel
def outcome(t: Table, s: Table, legal: int, earlier: int) -> int:
    """The outcome of a match, see `rules.outcome`."""
    return rules.outcome(borrowed(t), borrowed(s), legal, earlier)


@entry_kernel
def perft(t: Table, s: Table, depth: int, by_turns: bool) -> int:
    """Number of sequences of actions or turns, see `rules.perft`."""
    return rules.perft(borrowed(t), borrowed(s), depth, by_turns)


@entry_kernel
def position_key(t: Table, s: Table) -> int:
    """A 63-bit hash of everything in the state except the clock."""
    return rules.position_key(borrowed(t), borrowed(s))


@entry_kernel
def play_out(t: Table, s: Words, w: Words, actions: Words, keys: Words, room: int, rng: Words) -> tuple[int, int]:
    """Plays random legal actions to the end, see `random_play.play_out`."""
    p_t, p_s, p_w, p_actions = borrowed(t), borrowed(s), borrowed(w), borrowed(actions)
    return random_play.play_out(p_t, p_s, p_w, p_actions, borrowed(keys), room, borrowed(rng))
