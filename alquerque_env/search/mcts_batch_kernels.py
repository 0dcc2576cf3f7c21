"""Kernels of a tree search in many matches at once, led by a network that evaluates all new positions together.

Values are for `player_0` and are negated where `player_1` is to move, so a player who moves twice in a row, in the
middle of a chain, needs no special case. Steps without a choice are played on the way to the next choice or the end of
the match, unless the game has a repetition rule.

Sources: Silver et al. 2018, Science 362, supplement, "Search" (PUCT); Danihelka et al. 2022, Policy improvement by
planning with Gumbel, ICLR (selection at the root and below it under GUMBEL); Sokota et al. 2023, A unified approach to
reinforcement learning, quantal response equilibria, and two-player zero-sum games, ICLR, arXiv:2206.05825 (MMD_WEIGHT).
"""

import math
from typing import NamedTuple

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel, inlined, kernel
from ..engine.kernel_types import RealRows, Reals, Rows, Table, Words
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.outcomes import ONGOING

# Settings of a search: nodes and edges of each tree, and the rule of selection.
NODES, EDGES, RULE = 0, 1, 2
SETTINGS_SIZE = 3
# Rules of selection.
GUMBEL, PUCT = 0, 1

# A node: its first edge and their number, its parent and the edge that leads to it, the outcome of the match, how often
# the position occurred before, its hash, and the visits of its edges.
FIRST, COUNT, PARENT, PARENT_EDGE, OUTCOME, EARLIER, KEY, EDGE_VISITS, NODE_SIZE = 0, 1, 2, 3, 4, 5, 6, 7, 8
# An edge: its action, the node that it leads to or NONE, and its visits.
ACTION, CHILD, VISITS, EDGE_SIZE = 0, 1, 2, 3
# Of an edge: the logarithm of its prior, the sum of the values of its visits, and the noise of a root's edge.
LOGIT, TOTAL, NOISE, EDGE_REALS = 0, 1, 2, 3

# Weights of a search. GUMBEL: of values against logits, and of the regularisation towards the uniform policy. PUCT: of
# the policy against values.
VALUE_OFFSET, VALUE_SCALE, MMD_WEIGHT, EXPLORATION = 0, 1, 2, 3

NONE = -1
# Scores that differ by rounding alone count as equal.
TOLERANCE = 1e-9
LONGEST_FORCED = 64
LOWEST = -1e30


class Trees(NamedTuple):
    """The trees of all matches: those of match `m` begin at node `m * NODES` and edge `m * EDGES`.

    Attributes:
      settings: See above.
      weights: See above.
      states: The state at each node.
      nodes: Rows of `NODE_SIZE`.
      sizes: For each match its number of nodes and of edges.
      edges: Rows of `EDGE_SIZE`.
      reals: Rows of `EDGE_REALS`.
      values: The value of each node.
      policy: Scratch space for one policy.
    """

    settings: Table
    weights: Reals
    states: Rows
    nodes: Rows
    sizes: Rows
    edges: Rows
    reals: RealRows
    values: Reals
    policy: Reals


class Decisions(NamedTuple):
    """The results of a search in `B` matches.

    Attributes:
      actions: int64 `[B]`, to play.
      counts: int64 `[B]`, numbers of legal actions.
      legal: int64 `[B, K]`, legal actions in ascending order; the first `counts` of each row count.
      policy: float64 `[B, K]`, their probabilities as improved by the search.
      values: float64 `[B]`, for the players to move.
    """

    actions: np.ndarray
    counts: np.ndarray
    legal: np.ndarray
    policy: np.ndarray
    values: np.ndarray


@entry_kernel
def init_roots(
    t: Table, p: Trees, count: int, roots: Rows, past: Rows, w: Words, actions: Words, observation: Words
) -> None:
    """Begins a tree for each of `count` matches, and writes the observations of the roots.

    Args:
      roots: The states of the matches, ongoing.
      past: Hashes of the positions since the last progress, as for `rules.earlier_occurrences`, including the present.
      w: Scratch space of the rules.
      actions: Room for actions.
      observation: Written: flat observations, one after another.
    """
    for match in range(count):
        p.sizes[match][0] = 0
        p.sizes[match][1] = 0
        s = p.states[match * p.settings[NODES]]
        rules.copy_state(t, roots[match], s)
        n = rules.legal_actions(t, s, w, actions)
        earlier = 0
        if t[TABLE.THREEFOLD] and s[STATE.CHAIN] < 0:
            earlier = rules.occurrences(past[match], s[STATE.QUIET] % 2, s[STATE.QUIET], rules.position_key(t, s))
        _add_node(t, p, match, s, actions, n, ONGOING, earlier, NONE, NONE)
        rules.observe(t, s, earlier, observation, match * t[TABLE.NUM_PLANES] * t[TABLE.POINTS])


@entry_kernel
def select_and_expand(
    t: Table, p: Trees, count: int, past: Rows, required: Table, leaves: Words, w: Words, actions: Words,
    observation: Words,
) -> int:  # fmt: skip
    """Selects a path in each tree down to a new position, or to an ended match, whose value is backed up at once.

    Args:
      required: For each match the visits that a root's edge must have to be considered (GUMBEL), or NONE to skip the
        match.
      leaves: Written: the new nodes.
      observation: Written: their observations.

    Returns:
      The number of new nodes, which are to be evaluated.
    """
    size = t[TABLE.NUM_PLANES] * t[TABLE.POINTS]
    found = 0
    for match in range(count):
        if required[match] == NONE:
            continue
        node = match * p.settings[NODES]
        edge = _select_at_root(p, node, required[match])
        while p.edges[edge][CHILD] != NONE:
            node = p.edges[edge][CHILD]
            if p.nodes[node][COUNT] == 0:
                break
            edge = _select(p, node)
        if p.edges[edge][CHILD] != NONE:
            _back_up(p, node, p.values[node])
            continue
        leaf = _expand(t, p, past[match], match, node, edge, w, actions)
        outcome = p.nodes[leaf][OUTCOME]
        if outcome == ONGOING:
            leaves[found] = leaf
            rules.observe(t, p.states[leaf], p.nodes[leaf][EARLIER], observation, found * size)
            found += 1
        else:
            p.values[leaf] = float(rules.reward_of(outcome, 0))
            _back_up(p, leaf, p.values[leaf])
    return found


@entry_kernel
def evaluate_leaves(p: Trees, leaves: Table, count: int, logits: RealRows, evaluations: Reals) -> None:
    """Sets priors and values of new nodes from logits and values for the player to move, and backs the values up."""
    for row in range(count):
        node = leaves[row]
        first = p.nodes[node][FIRST]
        end = first + p.nodes[node][COUNT]
        highest = LOWEST
        for edge in range(first, end):
            logit = float(logits[row][p.edges[edge][ACTION]])
            p.reals[edge][LOGIT] = logit
            highest = max(highest, logit)
        total = 0.0
        for edge in range(first, end):
            total += math.exp(p.reals[edge][LOGIT] - highest)
        log_total = highest + math.log(total) if end > first else 0.0
        for edge in range(first, end):
            p.reals[edge][LOGIT] -= log_total
        p.values[node] = _sign(p, node) * float(evaluations[row])
        _back_up(p, node, p.values[node])


@entry_kernel
def decide(p: Trees, count: int, d: Decisions) -> None:
    """Writes the decision at each of `count` roots."""
    for match in range(count):
        node = match * p.settings[NODES]
        first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
        most = 0
        for edge in range(first, first + n):
            most = max(most, p.edges[edge][VISITS])
        best = _select_at_root(p, node, most) if p.settings[RULE] == GUMBEL else _most_visited(p, node, most)
        d.actions[match] = p.edges[best][ACTION]
        d.counts[match] = n
        visits = p.nodes[node][EDGE_VISITS]
        is_improved = p.settings[RULE] == GUMBEL or visits == 0
        if is_improved:
            _improve(p, node, 1.0 - p.weights[MMD_WEIGHT])
        for index in range(n):
            d.legal[match][index] = p.edges[first + index][ACTION]
            d.policy[match][index] = p.policy[index] if is_improved else p.edges[first + index][VISITS] / visits
        d.values[match] = _value_to_mover(p, node)


@inlined
def _add_node(
    t: Table, p: Trees, match: int, s: Words, actions: Words, n: int, outcome: int, earlier: int, parent: int,
    parent_edge: int,
) -> int:  # fmt: skip
    """Appends a node and, if the match goes on and there is room, its edges by action; returns the node."""
    size = p.sizes[match]
    number = match * p.settings[NODES] + size[0]
    size[0] += 1
    first = match * p.settings[EDGES] + size[1]
    if outcome != ONGOING or size[1] + n > p.settings[EDGES]:
        n = 0
    size[1] += n
    node = p.nodes[number]
    node[FIRST] = first
    node[COUNT] = n
    node[PARENT] = parent
    node[PARENT_EDGE] = parent_edge
    node[OUTCOME] = outcome
    node[EARLIER] = earlier
    node[KEY] = rules.position_key(t, s) if t[TABLE.THREEFOLD] else 0
    node[EDGE_VISITS] = 0
    for index in range(n):
        action = actions[index]
        edge = first + index
        while edge > first and p.edges[edge - 1][ACTION] > action:
            p.edges[edge][ACTION] = p.edges[edge - 1][ACTION]
            edge -= 1
        p.edges[edge][ACTION] = action
    for edge in range(first, first + n):
        p.edges[edge][CHILD] = NONE
        p.edges[edge][VISITS] = 0
    return number


@kernel
def _expand(t: Table, p: Trees, past: Words, match: int, node: int, edge: int, w: Words, actions: Words) -> int:
    """Adds the position after an edge to a tree; returns its node."""
    s = p.states[match * p.settings[NODES] + p.sizes[match][0]]
    rules.copy_state(t, p.states[node], s)
    rules.apply_action(t, s, w, p.edges[edge][ACTION])
    n = rules.legal_actions(t, s, w, actions)
    earlier = _earlier(t, p, past, match, node, s) if t[TABLE.THREEFOLD] else 0
    outcome = rules.outcome(t, s, n, earlier)
    forced = LONGEST_FORCED if t[TABLE.THREEFOLD] else 0
    while n == 1 and outcome == ONGOING and forced < LONGEST_FORCED:
        rules.apply_action(t, s, w, actions[0])
        n = rules.legal_actions(t, s, w, actions)
        outcome = rules.outcome(t, s, n, 0)
        forced += 1
    leaf = _add_node(t, p, match, s, actions, n, outcome, earlier, node, edge)
    p.edges[edge][CHILD] = leaf
    return leaf


@inlined
def _earlier(t: Table, p: Trees, past: Words, match: int, node: int, s: Words) -> int:
    """How often a position below `node` occurred before, on its path and in the match."""
    if s[STATE.CHAIN] >= 0:
        return 0
    key = rules.position_key(t, s)
    root = match * p.settings[NODES]
    clock = s[STATE.QUIET]
    count = 0
    while clock > 0:
        here = p.states[node]
        # Progress was made after this position, so neither it nor any before it can be the same.
        if here[STATE.QUIET] >= clock:
            return count
        clock = here[STATE.QUIET]
        if here[STATE.CHAIN] < 0 and p.nodes[node][KEY] == key:
            count += 1
        if node == root:
            return count + rules.occurrences(past, s[STATE.QUIET] % 2, clock, key)
        node = p.nodes[node][PARENT]
    return count


@inlined
def _back_up(p: Trees, node: int, value: float) -> None:
    """Adds a value to all edges on the path to a node."""
    while p.nodes[node][PARENT] != NONE:
        edge = p.nodes[node][PARENT_EDGE]
        p.edges[edge][VISITS] += 1
        # A new edge may hold the total of an earlier search: `_add_node` clears its visits only.
        p.reals[edge][TOTAL] = value + (p.reals[edge][TOTAL] if p.edges[edge][VISITS] > 1 else 0.0)
        node = p.nodes[node][PARENT]
        p.nodes[node][EDGE_VISITS] += 1


@inlined
def _sign(p: Trees, node: int) -> int:
    """1 if `player_0` is to move at a node, else -1."""
    return 1 - 2 * p.states[node][STATE.PLAYER]


@inlined
def _select_at_root(p: Trees, node: int, required: int) -> int:
    """The edge with the best score; under GUMBEL among those with the required number of visits."""
    if p.settings[RULE] == PUCT:
        return _select_by_puct(p, node)
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    sign = _sign(p, node)
    estimate = _mixed_value(p, node)
    scale = _value_weight(p, node)
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        score = p.reals[edge][NOISE] + p.reals[edge][LOGIT] + scale * _edge_value(p, edge, sign, estimate)
        if p.edges[edge][VISITS] == required and score > best_score + TOLERANCE:
            best, best_score = edge, score
    return best


@inlined
def _select(p: Trees, node: int) -> int:
    """The edge to follow below the root."""
    if p.settings[RULE] == PUCT:
        return _select_by_puct(p, node)
    _improve(p, node, 1.0)
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    visits = 1 + p.nodes[node][EDGE_VISITS]
    best, best_score = first, LOWEST
    for index in range(n):
        # So the shares of the visits approach the policy: Danihelka et al. 2022, section 5.
        score = p.policy[index] - p.edges[first + index][VISITS] / visits
        if score > best_score + TOLERANCE:
            best, best_score = first + index, score
    return best


@inlined
def _select_by_puct(p: Trees, node: int) -> int:
    """The edge with the highest upper confidence bound."""
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    sign = _sign(p, node)
    estimate = _value_to_mover(p, node)
    weight = p.weights[EXPLORATION] * math.sqrt(1 + p.nodes[node][EDGE_VISITS])
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        prior = math.exp(p.reals[edge][LOGIT])
        score = _edge_value(p, edge, sign, estimate) + weight * prior / (1 + p.edges[edge][VISITS])
        if score > best_score + TOLERANCE:
            best, best_score = edge, score
    return best


@inlined
def _most_visited(p: Trees, node: int, most: int) -> int:
    """Of the edges with most visits, the one with the best value; without visits the most probable."""
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    sign = _sign(p, node)
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        if p.edges[edge][VISITS] == most:
            score = sign * p.reals[edge][TOTAL] / most if most else p.reals[edge][LOGIT]
            if score > best_score + TOLERANCE:
                best, best_score = edge, score
    return best


@inlined
def _edge_value(p: Trees, edge: int, sign: int, estimate: float) -> float:
    """Mean value of an edge for the player to move, or `estimate` for an edge without a visit."""
    visits = p.edges[edge][VISITS]
    return sign * p.reals[edge][TOTAL] / visits if visits else estimate


@inlined
def _improve(p: Trees, node: int, logit_weight: float) -> None:
    """Writes the improved policy of a node, the softmax of its weighted logits and scaled values, to `p.policy`."""
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    sign = _sign(p, node)
    estimate = _mixed_value(p, node)
    scale = _value_weight(p, node)
    highest = LOWEST
    for index in range(n):
        edge = first + index
        value = _edge_value(p, edge, sign, estimate)
        p.policy[index] = logit_weight * p.reals[edge][LOGIT] + scale * value
        highest = max(highest, p.policy[index])
    total = 0.0
    for index in range(n):
        p.policy[index] = math.exp(p.policy[index] - highest)
        total += p.policy[index]
    for index in range(n):
        p.policy[index] /= total


@inlined
def _value_weight(p: Trees, node: int) -> float:
    """Weight of values against logits, which grows with the visits."""
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    most = 0
    for edge in range(first, first + n):
        most = max(most, p.edges[edge][VISITS])
    return (p.weights[VALUE_OFFSET] + most) * p.weights[VALUE_SCALE]


@inlined
def _mixed_value(p: Trees, node: int) -> float:
    """Estimated value of an edge without a visit: between the node's evaluation and the values of visited edges."""
    sign = _sign(p, node)
    own = sign * p.values[node]
    visits = p.nodes[node][EDGE_VISITS]
    if visits == 0:
        return own
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    share, total = 0.0, 0.0
    for edge in range(first, first + n):
        if p.edges[edge][VISITS]:
            prior = math.exp(p.reals[edge][LOGIT])
            share += prior
            total += prior * sign * p.reals[edge][TOTAL] / p.edges[edge][VISITS]
    if share <= 0.0:
        return own
    # Danihelka et al. 2022, appendix D.
    return (own + visits * total / share) / (1 + visits)


@inlined
def _value_to_mover(p: Trees, node: int) -> float:
    """Mean of the evaluation and of all simulations, for the player to move."""
    first, n = p.nodes[node][FIRST], p.nodes[node][COUNT]
    total = p.values[node]
    for edge in range(first, first + n):
        if p.edges[edge][VISITS]:
            total += p.reals[edge][TOTAL]
    return _sign(p, node) * total / (1 + p.nodes[node][EDGE_VISITS])
