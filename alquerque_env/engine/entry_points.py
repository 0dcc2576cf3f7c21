"""The engine's entrances for Python: each borrows its arrays and calls a kernel on them.

Arguments are as in `rules.py`: made by `jit.words` and `jit.constants`, and trusted.
"""

from . import rules
from .compiler import borrowed, kernel


@kernel
def legal_actions(t, s, w, actions):
    """Fills in the legal actions and returns their number, whether or not the match has ended."""
    return rules.legal_actions(borrowed(t), borrowed(s), borrowed(w), borrowed(actions))


@kernel
def apply_action(t, s, w, action):
    """Changes the state to the one after a legal action."""
    rules.apply_action(borrowed(t), borrowed(s), borrowed(w), action)


@kernel
def outcome(t, s, legal, earlier):
    """How the match stands: see `rules.outcome`."""
    return rules.outcome(borrowed(t), borrowed(s), legal, earlier)


@kernel
def perft(t, s, depth, by_turns):
    """Number of sequences of actions or turns: see `rules.perft`."""
    return rules.perft(borrowed(t), borrowed(s), depth, by_turns)


@kernel
def position_key(t, s):
    """A 63-bit hash of everything in the state but the clock."""
    return rules.position_key(borrowed(t), borrowed(s))


@kernel
def play_out(t, s, w, actions, keys, room, rng):
    """Plays random legal actions to the end: see `rules.play_out`."""
    return rules.play_out(borrowed(t), borrowed(s), borrowed(w), borrowed(actions), borrowed(keys), room, borrowed(rng))
