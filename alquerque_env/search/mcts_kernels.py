"""UCT with random playouts, compiled.

Sources: Kocsis and Szepesvári 2006, Bandit Based Monte-Carlo Planning; Coulom 2006, Efficient Selectivity and Backup
Operators in Monte-Carlo Tree Search (one new node a simulation).
"""

import math

from ..engine import rules as e
from ..engine.compiler import borrowed, inlined, kernel
from ..solve.tables.index_layout import DRAWN, UNKNOWN
from ..solve.tables.search_probe_kernels import exact_value

EXPLORATION = 1.0
"""Weight of what is little known against what has done well."""

# Layout of a node. Children stand in a row from FIRST, 0 if there are none yet. TOTAL adds up results for player_0:
# where the same player is to move twice, no sign changes.
PARENT, FIRST, CHILDREN, ACTION, RESULT, VISITS, TOTAL, NODE_SIZE = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def simulate(t, root, s, w, actions, past, keys, room, x, codes, tree, end, rng, simulations):
    """Adds simulations to a tree; returns the new end of it, where the next node goes.

    `root` is the state at the root, which is not over; its node stands at 0 of `tree`. `past` are the keys of the
    positions up to it, as `engine.earlier_occurrences` wants them, and `keys` is room for `room` of them: a match that
    outlasts them without progress is taken for a draw. `x` and `codes` are an endgame table.
    """
    return _simulate(
        borrowed(t),
        borrowed(root),
        borrowed(s),
        borrowed(w),
        borrowed(actions),
        borrowed(past),
        borrowed(keys),
        room,
        borrowed(x),
        borrowed(codes),
        borrowed(tree),
        len(tree),
        end,
        borrowed(rng),
        simulations,
    )


@kernel
def _simulate(t, root, s, w, actions, past, keys, room, x, codes, tree, size, end, rng, simulations):
    for _ in range(simulations):
        e.copy_state(t, root, s)
        if t[e.T_THREEFOLD]:
            for clock in range(root[e.QUIET] + 1):
                keys[clock] = past[clock]
        node = 0
        while tree[node + RESULT] == e.ONGOING and (node == 0 or tree[node + VISITS] > 0):
            if tree[node + FIRST] == 0:
                n = e.legal_actions(t, s, w, actions)
                if end + n * NODE_SIZE > size:
                    break
                end = _expand(tree, node, end, actions, n)
            node = _select(tree, node, s[e.PLAYER], rng)
            e.apply_action(t, s, w, tree[node + ACTION])
            earlier = 0
            if t[e.T_THREEFOLD] and s[e.CHAIN] < 0:
                earlier = e.earlier_occurrences(t, s, keys)
            if tree[node + VISITS] == 0:
                n = e.legal_actions(t, s, w, actions)
                tree[node + RESULT] = _outcome(t, s, n, earlier, room)
                if tree[node + RESULT] == e.ONGOING:
                    tree[node + RESULT] = _foreseen(s, exact_value(t, x, codes, s, actions, n))
        result = tree[node + RESULT]
        if result == e.ONGOING:
            result, _ = e.play_out(t, s, w, actions, keys, room, rng)
        _back_up(tree, node, result % 4)
    return end


@inlined
def _outcome(t, s, legal, earlier, room):
    """As `engine.outcome`, with the draw of a match that outlasts the room for keys."""
    if t[e.T_THREEFOLD] and s[e.QUIET] + 1 >= room:
        return 4 * e.NO_PROGRESS + e.NOBODY
    return e.outcome(t, s, legal, earlier)


@inlined
def _foreseen(s, code):
    """How the match will end by the endgame table, as `engine.outcome` codes it."""
    if code == UNKNOWN:
        return e.ONGOING
    if code == DRAWN:
        return 4 * e.NO_PROGRESS + e.NOBODY
    return 4 * e.CAPTURED_ALL + (s[e.PLAYER] if code > DRAWN else 1 - s[e.PLAYER])


@kernel
def _expand(tree, node, end, actions, n):
    """Adds the children of a node; returns the new end of the tree."""
    tree[node + FIRST] = end
    tree[node + CHILDREN] = n
    for index in range(n):
        child = end + index * NODE_SIZE
        tree[child + PARENT] = node
        tree[child + FIRST] = 0
        tree[child + ACTION] = actions[index]
        tree[child + RESULT] = e.ONGOING
        tree[child + VISITS] = 0
        tree[child + TOTAL] = 0
    return end + n * NODE_SIZE


@kernel
def _select(tree, node, player, rng):
    """The child with the highest upper bound, UCB1; one without a visit before all others."""
    first, n = tree[node + FIRST], tree[node + CHILDREN]
    if tree[node + VISITS] < n + (1 if node else 0):
        # Each visit but a first one, which ends there, went to a child, so that one is left without.
        index = e.random_below(rng, n)
        while tree[first + index * NODE_SIZE + VISITS] > 0:
            index = index + 1 if index + 1 < n else 0
        return first + index * NODE_SIZE
    sign = 1 if player == 0 else -1
    log_visits = math.log(tree[node + VISITS])
    best = first
    best_bound = -math.inf
    for child in range(first, first + n * NODE_SIZE, NODE_SIZE):
        visits = tree[child + VISITS]
        bound = sign * tree[child + TOTAL] / visits + EXPLORATION * math.sqrt(log_visits / visits)
        if bound > best_bound:
            best = child
            best_bound = bound
    return best


@inlined
def _back_up(tree, node, winner):
    value = 0 if winner == e.NOBODY else 1 - 2 * winner
    while node >= 0:
        tree[node + VISITS] += 1
        tree[node + TOTAL] += value
        node = tree[node + PARENT]
