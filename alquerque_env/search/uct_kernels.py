"""Kernels of UCT, a tree search with random rollouts.

Sources: Kocsis and Szepesvári 2006, Bandit Based Monte-Carlo Planning; Coulom 2006, Efficient Selectivity and Backup
Operators in Monte-Carlo Tree Search (one new node a simulation).
"""

import math
from typing import Any, NamedTuple

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel, inlined, kernel
from ..engine.kernel_types import Table, Words
from ..engine.random_play import play_out
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.outcomes import CAPTURED_ALL, NO_PROGRESS, NOBODY, ONGOING
from ..solve.tables.search_probe import exact_value
from ..solve.tables.value_codes import DRAWN, UNKNOWN

EXPLORATION = 1.0
"""Weight of exploration in UCB1."""

# Layout of a node. Its children stand one after another from FIRST on; FIRST is 0 before expansion. TOTAL is the sum of
# results for player_0, also where the same player is to move twice.
PARENT, FIRST, CHILDREN, ACTION, RESULT, VISITS, TOTAL, NODE_SIZE = 0, 1, 2, 3, 4, 5, 6, 7


class Uct(NamedTuple):
    """The arrays of a search.

    Attributes:
      root: The state at the root, ongoing. Its node stands at 0 of `tree`.
      state: Room for a state.
      scratch: Scratch space of the rules.
      actions: Room for actions.
      past: Hashes of the positions up to the root, as for `rules.earlier_occurrences`.
      keys: Room for such hashes.
      table_index: Index of an endgame table.
      codes: Values of the endgame table.
      tree: The nodes.
      rng: State of the generator.
    """

    root: Words
    state: Words
    scratch: Words
    actions: Words
    past: Table
    keys: Words
    table_index: Table
    codes: Any
    tree: Words
    rng: Words


@entry_kernel
def simulate(t: Table, a: Uct, room: int, size: int, end: int, simulations: int) -> int:
    """Adds simulations to a tree; returns its new end, where the next node goes.

    `room` and `size` are the lengths of `a.keys` and `a.tree`. A match that fills the keys without progress counts as a
    draw.
    """
    root, s, w, actions, keys, tree = a.root, a.state, a.scratch, a.actions, a.keys, a.tree
    for _ in range(simulations):
        rules.copy_state(t, root, s)
        if t[TABLE.THREEFOLD]:
            for clock in range(root[STATE.QUIET] + 1):
                keys[clock] = a.past[clock]
        node = 0
        while tree[node + RESULT] == ONGOING and (node == 0 or tree[node + VISITS] > 0):
            if tree[node + FIRST] == 0:
                n = rules.legal_actions(t, s, w, actions)
                if end + n * NODE_SIZE > size:
                    break
                end = _expand(tree, node, end, actions, n)
            node = _select(tree, node, s[STATE.PLAYER], a.rng)
            rules.apply_action(t, s, w, tree[node + ACTION])
            earlier = rules.earlier_occurrences(t, s, keys)
            if tree[node + VISITS] == 0:
                n = rules.legal_actions(t, s, w, actions)
                tree[node + RESULT] = rules.outcome(t, s, n, earlier)
                if t[TABLE.THREEFOLD] and s[STATE.QUIET] + 1 >= room:  # no room for more hashes
                    tree[node + RESULT] = 4 * NO_PROGRESS + NOBODY
                if tree[node + RESULT] == ONGOING:
                    tree[node + RESULT] = _exact_outcome(s, exact_value(t, a.table_index, a.codes, s, actions, n))
        result = tree[node + RESULT]
        if result == ONGOING:
            result, _ = play_out(t, s, w, actions, keys, room, a.rng)
        _back_up(tree, node, rules.reward_of(result, 0))
    return end


@inlined
def _exact_outcome(s: Words, code: int) -> int:
    """The outcome by the endgame table, coded as by `rules.outcome`."""
    if code == UNKNOWN:
        return ONGOING
    if code == DRAWN:
        return 4 * NO_PROGRESS + NOBODY
    return 4 * CAPTURED_ALL + (s[STATE.PLAYER] if code > DRAWN else 1 - s[STATE.PLAYER])


@kernel
def _expand(tree: Words, node: int, end: int, actions: Words, n: int) -> int:
    """Adds the children of a node; returns the new end of the tree."""
    tree[node + FIRST] = end
    tree[node + CHILDREN] = n
    for index in range(n):
        child = end + index * NODE_SIZE
        tree[child + PARENT] = node
        tree[child + FIRST] = 0
        tree[child + ACTION] = actions[index]
        tree[child + RESULT] = ONGOING
        tree[child + VISITS] = 0
        tree[child + TOTAL] = 0
    return end + n * NODE_SIZE


@kernel
def _select(tree: Words, node: int, player: int, rng: Words) -> int:
    """The child with the highest upper confidence bound, UCB1; children without a visit come first."""
    first, n = tree[node + FIRST], tree[node + CHILDREN]
    if tree[node + VISITS] < n + (1 if node else 0):
        # Each visit but the first, which ended here, went to a child, so there is a child without a visit.
        index = rules.random_below(rng, n)
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
def _back_up(tree: Words, node: int, value: int) -> None:
    while node >= 0:
        tree[node + VISITS] += 1
        tree[node + TOTAL] += value
        node = tree[node + PARENT]
