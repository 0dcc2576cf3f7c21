"""The engine's entrances for Python: each borrows its arrays and calls a kernel on them.

Arguments are as in `engine.py`: made by `jit.words` and `jit.constants`, and trusted.
"""

from . import engine
from .jit import borrowed, kernel


@kernel
def legal_actions(t, s, w, actions):
    """Fills in the legal actions and returns their number, whether or not the match has ended."""
    return engine.legal_actions(borrowed(t), borrowed(s), borrowed(w), borrowed(actions))


@kernel
def apply_action(t, s, w, action):
    """Changes the state to the one after a legal action."""
    engine.apply_action(borrowed(t), borrowed(s), borrowed(w), action)


@kernel
def outcome(t, s, legal, earlier):
    """How the match stands: see `engine.outcome`."""
    return engine.outcome(borrowed(t), borrowed(s), legal, earlier)


@kernel
def perft(t, s, depth, by_turns):
    """Number of sequences of actions or turns: see `engine.perft`."""
    return engine.perft(borrowed(t), borrowed(s), depth, by_turns)


@kernel
def position_key(t, s):
    """A 63-bit hash of everything in the state but the clock."""
    return engine.position_key(borrowed(t), borrowed(s))


@kernel
def play_out(t, s, w, actions, keys, room, rng):
    """Plays random legal actions to the end: see `engine.play_out`."""
    return engine.play_out(
        borrowed(t), borrowed(s), borrowed(w), borrowed(actions), borrowed(keys), room, borrowed(rng)
    )
