"""The engine's entrances for Python: each borrows its arrays and calls a kernel on them.

Arguments are as in `engine.py`: made by `jit.words` and `jit.constants`, and trusted.
"""

from . import engine
from .jit import borrowed, inlined, kernel


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
def play_many(t, states, w, actions, keys, room, rng, chosen, steps):
    """Plays random matches, several in turn, each beginning anew when it has ended.

    A processor works on the next match while it waits for what the last one needs.

    Args:
      states: `[G, S]`, overwritten.
      keys: `[G, room]`, as for `engine.earlier_occurrences`.
      chosen: `[G]`, overwritten.
      steps: Number of actions to play in each.

    Returns:
      The number of matches that came to an end.
    """
    games = len(states)
    p_table, p_states, p_keys, p_rng = borrowed(t), borrowed(states), borrowed(keys), borrowed(rng)
    p_w, p_actions, p_chosen = borrowed(w), borrowed(actions), borrowed(chosen)
    ended = 0
    for game in range(games):
        p_chosen[game] = _begin(p_table, p_states[game], p_w, p_actions, p_keys[game], p_rng)
    for _ in range(steps):
        for game in range(games):
            s = p_states[game]
            engine.apply_action(p_table, s, p_w, p_chosen[game])
            action, n = engine.sample_action(p_table, s, p_w, p_actions, p_rng)
            looks_back = p_table[engine.T_THREEFOLD] and s[engine.CHAIN] < 0
            earlier = engine.earlier_occurrences(p_table, s, p_keys[game]) if looks_back else 0
            outlasts = p_table[engine.T_THREEFOLD] and s[engine.QUIET] + 2 >= room
            if outlasts or engine.outcome(p_table, s, n, earlier) != engine.ONGOING:
                ended += 1
                action = _begin(p_table, s, p_w, p_actions, p_keys[game], p_rng)
            p_chosen[game] = action
    return ended


@inlined
def _begin(t, s, w, actions, keys, rng):
    for index in range(t[engine.T_STATE_SIZE]):
        s[index] = t[t[engine.T_START] + index]
    if t[engine.T_THREEFOLD]:
        engine.earlier_occurrences(t, s, keys)
    return engine.sample_action(t, s, w, actions, rng)[0]
