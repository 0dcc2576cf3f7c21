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


@kernel
def play_many(t, s, w, actions, keys, room, rng, games):
    """Plays random matches from the start; returns the number of actions played."""
    p_table, p_state, p_keys, p_rng = borrowed(t), borrowed(s), borrowed(keys), borrowed(rng)
    p_w, p_actions = borrowed(w), borrowed(actions)
    played = 0
    for _ in range(games):
        for index in range(p_table[engine.T_STATE_SIZE]):
            p_state[index] = p_table[p_table[engine.T_START] + index]
        if p_table[engine.T_THREEFOLD]:
            engine.earlier_occurrences(p_table, p_state, p_keys)
        _, length = engine.play_out(p_table, p_state, p_w, p_actions, p_keys, room, p_rng)
        played += length
    return played
