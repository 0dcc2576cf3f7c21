"""Search trees of many matches, compiled: descending to new positions, taking in their evaluations, deciding.

Values are kept in the eyes of `player_0` and turned when they are read, so that a player who is to move twice in a row,
in the middle of a chain, needs no special case. Steps without a choice are gone through on the way to the next choice
or the end of the match, where nothing looks at repetition.

Throughout, `t` is a step table and `b` the numbers of the search; a tree is a run of nodes and one of edges, those of
match `m` from `m * b[NODES]` and `m * b[EDGES]` on. `whole` and `real` are arrays of a tree's integers and floats.

Sources: Silver et al. 2018, Science 362, supplement, "Search" (PUCT); Danihelka et al. 2022, Policy improvement by
planning with Gumbel, ICLR (the rules of root and interior under GUMBEL); Sokota et al. 2023, A unified approach to
reinforcement learning, quantal response equilibria, and two-player zero-sum games, ICLR, arXiv:2206.05825 (MMD_WEIGHT).
"""

import math

from ..engine import rules as e
from ..engine.compiler import borrowed, inlined, kernel

# Numbers of a search.
NODES, EDGES, RULE = 0, 1, 2
SEARCH_SIZE = 3
# Rules of selection.
GUMBEL, PUCT = 0, 1

# A node: its edges, which edge led there, how its match stands, the visits of its edges.
FIRST, COUNT, ABOVE, LED, STANDING, EARLIER, KEY, TRIED, NODE_SIZE = 0, 1, 2, 3, 4, 5, 6, 7, 8
# An edge: its action, the node that it leads to or -1, simulations that took it.
ACTION, CHILD, VISITS, EDGE_SIZE = 0, 1, 2, 3
# Of an edge: logarithm of its probability, sum of what came of it for player_0, noise of a root's edge.
LOGIT, TOTAL, NOISE, EDGE_REALS = 0, 1, 2, 3

# Weights of a search. GUMBEL: of values against logits, and of the regularisation towards the uniform policy. PUCT: of
# the policy against values.
VALUE_OFFSET, VALUE_SCALE, MMD_WEIGHT, EXPLORATION = 0, 1, 2, 3

NONE = -1
# Scores that rounding alone keeps apart count as equal.
TOLERANCE = 1e-9
LONGEST_FORCED = 64
LOWEST = -1e30


@kernel
def plant(t, b, roots, past, states, nodes, ends, edges, w, actions, observation):
    """Begins a tree for each match and writes what its player sees, one row a match.

    Args:
      roots: States of the matches, ongoing.
      past: Hashes of the positions so far, as for `engine.earlier_occurrences`, the present one included.
      states: Room for the states of all nodes.
      ends: Written: for each match the number of nodes and of edges.
    """
    p_t, p_b, p_roots, p_past, p_states = borrowed(t), borrowed(b), borrowed(roots), borrowed(past), borrowed(states)
    p_nodes, p_ends, p_edges = borrowed(nodes), borrowed(ends), borrowed(edges)
    p_w, p_actions, p_observation = borrowed(w), borrowed(actions), borrowed(observation)
    for match in range(len(roots)):
        p_ends[2 * match] = 0
        p_ends[2 * match + 1] = 0
        node = match * p_b[NODES]
        e.copy_state(p_t, p_roots[match], p_states[node])
        s = p_states[node]
        n = e.legal_actions(p_t, s, p_w, p_actions)
        earlier = 0
        if p_t[e.T_THREEFOLD] and s[e.CHAIN] < 0:
            earlier = _occurrences(p_past[match], s[e.QUIET], e.position_key(p_t, s))
        _add_node(p_t, p_b, p_nodes, p_ends, p_edges, match, s, p_actions, n, e.ONGOING, earlier, NONE, NONE)
        e.observe(p_t, s, earlier, p_observation, match * p_t[e.T_NUM_PLANES] * p_t[e.T_POINTS])


@kernel
def descend(
    t, b, past, states, nodes, ends, edges, reals, values, weights, scratch, wanted, leaves, w, actions, observation
):
    """Goes down each tree to a position that is not in it yet, or to an end, which is taken in at once.

    Args:
      wanted: For each match the visits that a root's edge must have to be considered (GUMBEL), or NONE to let it be.
      leaves: Written: the new nodes.
      observation: Written: what is seen there, one row a node.

    Returns:
      The number of new nodes, which are to be evaluated.
    """
    p_t, p_b, p_past, p_states = borrowed(t), borrowed(b), borrowed(past), borrowed(states)
    p_nodes, p_ends, p_edges, p_reals = borrowed(nodes), borrowed(ends), borrowed(edges), borrowed(reals)
    p_values, p_weights, p_wanted, p_leaves = borrowed(values), borrowed(weights), borrowed(wanted), borrowed(leaves)
    p_w, p_actions, p_observation, p_scratch = borrowed(w), borrowed(actions), borrowed(observation), borrowed(scratch)
    size = p_t[e.T_NUM_PLANES] * p_t[e.T_POINTS]
    found = 0
    for match in range(len(wanted)):
        if p_wanted[match] == NONE:
            continue
        node = match * p_b[NODES]
        edge = _select_at_root(p_b, p_nodes, p_edges, p_reals, p_values, p_weights, p_states, node, p_wanted[match])
        while p_edges[EDGE_SIZE * edge + CHILD] != NONE:
            node = p_edges[EDGE_SIZE * edge + CHILD]
            if p_nodes[NODE_SIZE * node + COUNT] == 0:
                break
            edge = _select(p_b, p_nodes, p_edges, p_reals, p_values, p_weights, p_states, node, p_scratch)
        if p_edges[EDGE_SIZE * edge + CHILD] != NONE:
            _back_up(p_nodes, p_edges, p_reals, node, p_values[node])
            continue
        leaf = _grow(p_t, p_b, p_past, p_states, p_nodes, p_ends, p_edges, match, node, edge, p_w, p_actions)
        standing = p_nodes[NODE_SIZE * leaf + STANDING]
        if standing == e.ONGOING:
            p_leaves[found] = leaf
            e.observe(p_t, p_states[leaf], p_nodes[NODE_SIZE * leaf + EARLIER], p_observation, found * size)
            found += 1
        else:
            winner = standing & 3
            p_values[leaf] = 0.0 if winner == e.NOBODY else 1.0 - 2.0 * winner
            _back_up(p_nodes, p_edges, p_reals, leaf, p_values[leaf])
    return found


@kernel
def take_in(states, nodes, edges, reals, values, leaves, count, logits, evaluations):
    """Gives new nodes their policy and value, and carries the value up.

    Args:
      logits: Rows of a number for each action.
      evaluations: A value for each row, for the player to move.
    """
    p_states, p_nodes, p_edges = borrowed(states), borrowed(nodes), borrowed(edges)
    p_reals, p_values, p_leaves = borrowed(reals), borrowed(values), borrowed(leaves)
    p_logits, p_evaluations = borrowed(logits), borrowed(evaluations)
    for row in range(count):
        node = p_leaves[row]
        first = p_nodes[NODE_SIZE * node + FIRST]
        end = first + p_nodes[NODE_SIZE * node + COUNT]
        highest = LOWEST
        for edge in range(first, end):
            logit = float(p_logits[row][p_edges[EDGE_SIZE * edge + ACTION]])
            p_reals[EDGE_REALS * edge + LOGIT] = logit
            highest = max(highest, logit)
        total = 0.0
        for edge in range(first, end):
            total += math.exp(p_reals[EDGE_REALS * edge + LOGIT] - highest)
        log_total = highest + math.log(total) if end > first else 0.0
        for edge in range(first, end):
            p_reals[EDGE_REALS * edge + LOGIT] -= log_total
        sign = 1 - 2 * p_states[node][e.PLAYER]
        p_values[node] = sign * float(p_evaluations[row])
        _back_up(p_nodes, p_edges, p_reals, node, p_values[node])


@kernel
def decide(b, states, nodes, edges, reals, values, weights, scratch, matches, chosen, counts, acts, policy, worth):
    """Reads every tree's root.

    Args:
      chosen: Written: for each match the action to play.
      counts: Written: its number of legal actions.
      acts: Written: rows of them.
      policy: Written: rows of the probability of each, as the search has improved it.
      worth: Written: the value of the root for the player to move.
    """
    p_b, p_states, p_nodes, p_edges = borrowed(b), borrowed(states), borrowed(nodes), borrowed(edges)
    p_reals, p_values, p_weights, p_scratch = borrowed(reals), borrowed(values), borrowed(weights), borrowed(scratch)
    p_chosen, p_counts, p_acts = borrowed(chosen), borrowed(counts), borrowed(acts)
    p_policy, p_worth = borrowed(policy), borrowed(worth)
    for match in range(matches):
        node = match * p_b[NODES]
        first, n = p_nodes[NODE_SIZE * node + FIRST], p_nodes[NODE_SIZE * node + COUNT]
        sign = 1 - 2 * p_states[node][e.PLAYER]
        most = 0
        for edge in range(first, first + n):
            most = max(most, p_edges[EDGE_SIZE * edge + VISITS])
        if p_b[RULE] == GUMBEL:
            best = _select_at_root(p_b, p_nodes, p_edges, p_reals, p_values, p_weights, p_states, node, most)
        else:
            best = _most_visited(p_edges, p_reals, first, n, sign, most)
        p_chosen[match] = p_edges[EDGE_SIZE * best + ACTION]
        p_counts[match] = n
        tried = p_nodes[NODE_SIZE * node + TRIED]
        if p_b[RULE] == GUMBEL or tried == 0:
            _improve(p_nodes, p_edges, p_reals, p_values, p_weights, node, sign, 1.0 - p_weights[MMD_WEIGHT], p_scratch)
        for index in range(n):
            edge = first + index
            p_acts[match][index] = p_edges[EDGE_SIZE * edge + ACTION]
            if p_b[RULE] == GUMBEL or tried == 0:
                p_policy[match][index] = p_scratch[index]
            else:
                p_policy[match][index] = p_edges[EDGE_SIZE * edge + VISITS] / tried
        p_worth[match] = _value_to_mover(p_nodes, p_edges, p_reals, p_values, node, sign)


@kernel
def add_noise(b, nodes, reals, noise):
    """Sets the noise of the roots' edges, which counts with their logits (GUMBEL)."""
    p_b, p_nodes, p_reals, p_noise = borrowed(b), borrowed(nodes), borrowed(reals), borrowed(noise)
    for match in range(len(noise)):
        node = match * p_b[NODES]
        first = p_nodes[NODE_SIZE * node + FIRST]
        for index in range(p_nodes[NODE_SIZE * node + COUNT]):
            p_reals[EDGE_REALS * (first + index) + NOISE] = p_noise[match][index]


@kernel
def blend_noise(b, nodes, reals, noise, share):
    """Mixes a share of noise into the policies of the roots (PUCT)."""
    p_b, p_nodes, p_reals, p_noise = borrowed(b), borrowed(nodes), borrowed(reals), borrowed(noise)
    for match in range(len(noise)):
        node = match * p_b[NODES]
        first, n = p_nodes[NODE_SIZE * node + FIRST], p_nodes[NODE_SIZE * node + COUNT]
        total = 0.0
        for index in range(n):
            total += p_noise[match][index]
        for index in range(n):
            place = EDGE_REALS * (first + index) + LOGIT
            drawn = p_noise[match][index] / total if total > 0.0 else 1.0 / n
            p_reals[place] = math.log((1.0 - share) * math.exp(p_reals[place]) + share * drawn + 1e-30)


@inlined
def _add_node(t, b, nodes, ends, edges, match, s, actions, n, standing, earlier, above, led):
    """Appends a node and, if its match goes on and there is room, its edges by action; returns the node."""
    node = match * b[NODES] + ends[2 * match]
    ends[2 * match] += 1
    first = match * b[EDGES] + ends[2 * match + 1]
    if standing != e.ONGOING or ends[2 * match + 1] + n > b[EDGES]:
        n = 0
    ends[2 * match + 1] += n
    place = NODE_SIZE * node
    nodes[place + FIRST] = first
    nodes[place + COUNT] = n
    nodes[place + ABOVE] = above
    nodes[place + LED] = led
    nodes[place + STANDING] = standing
    nodes[place + EARLIER] = earlier
    nodes[place + KEY] = e.position_key(t, s) if t[e.T_THREEFOLD] else 0
    nodes[place + TRIED] = 0
    for index in range(n):
        action = actions[index]
        place = EDGE_SIZE * (first + index)
        while index > 0 and edges[place - EDGE_SIZE + ACTION] > action:
            edges[place + ACTION] = edges[place - EDGE_SIZE + ACTION]
            place -= EDGE_SIZE
            index -= 1
        edges[place + ACTION] = action
    for place in range(EDGE_SIZE * first, EDGE_SIZE * (first + n), EDGE_SIZE):
        edges[place + CHILD] = NONE
        edges[place + VISITS] = 0
    return node


@kernel
def _grow(t, b, past, states, nodes, ends, edges, match, node, edge, w, actions):
    """Adds the position behind an edge to a tree; returns its node."""
    s = states[match * b[NODES] + ends[2 * match]]
    e.copy_state(t, states[node], s)
    e.apply_action(t, s, w, edges[EDGE_SIZE * edge + ACTION])
    n = e.legal_actions(t, s, w, actions)
    earlier = 0
    if t[e.T_THREEFOLD]:
        earlier = _earlier(t, b, past[match], states, nodes, match, node, s)
        standing = e.outcome(t, s, n, earlier)
    else:
        standing = e.outcome(t, s, n, 0)
        forced = 0
        while n == 1 and standing == e.ONGOING and forced < LONGEST_FORCED:
            e.apply_action(t, s, w, actions[0])
            n = e.legal_actions(t, s, w, actions)
            standing = e.outcome(t, s, n, 0)
            forced += 1
    leaf = _add_node(t, b, nodes, ends, edges, match, s, actions, n, standing, earlier, node, edge)
    edges[EDGE_SIZE * edge + CHILD] = leaf
    return leaf


@inlined
def _earlier(t, b, past, states, nodes, match, node, s):
    """How often a position below `node` occurred before, in its line and in the match."""
    if s[e.CHAIN] >= 0:
        return 0
    key = e.position_key(t, s)
    root = match * b[NODES]
    clock = s[e.QUIET]
    count = 0
    while clock > 0:
        here = states[node]
        if here[e.QUIET] >= clock:
            return count
        clock = here[e.QUIET]
        if here[e.CHAIN] < 0 and nodes[NODE_SIZE * node + KEY] == key:
            count += 1
        if node == root:
            return count + _occurrences(past, clock, key)
        node = nodes[NODE_SIZE * node + ABOVE]
    return count


@inlined
def _occurrences(past, clock, key):
    """How often a key stands before `clock` in the history of a match."""
    count = 0
    for index in range(clock):
        if past[index] == key:
            count += 1
    return count


@inlined
def _back_up(nodes, edges, reals, node, value):
    while nodes[NODE_SIZE * node + ABOVE] != NONE:
        edge = nodes[NODE_SIZE * node + LED]
        edges[EDGE_SIZE * edge + VISITS] += 1
        reals[EDGE_REALS * edge + TOTAL] = value + (
            reals[EDGE_REALS * edge + TOTAL] if edges[EDGE_SIZE * edge + VISITS] > 1 else 0.0
        )
        node = nodes[NODE_SIZE * node + ABOVE]
        nodes[NODE_SIZE * node + TRIED] += 1


@inlined
def _select_at_root(b, nodes, edges, reals, values, weights, states, node, wanted):
    """The edge with the best score, under GUMBEL among those with so many visits."""
    if b[RULE] == PUCT:
        return _select_by_puct(nodes, edges, reals, values, weights, node, 1 - 2 * states[node][e.PLAYER])
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    sign = 1 - 2 * states[node][e.PLAYER]
    guess = _mixed_value(nodes, edges, reals, values, node, sign)
    scale = _value_weight(edges, weights, first, n)
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        visits = edges[EDGE_SIZE * edge + VISITS]
        worth = sign * reals[EDGE_REALS * edge + TOTAL] / visits if visits else guess
        score = reals[EDGE_REALS * edge + NOISE] + reals[EDGE_REALS * edge + LOGIT] + scale * worth
        if visits == wanted and score > best_score + TOLERANCE:
            best, best_score = edge, score
    return best


@inlined
def _select(b, nodes, edges, reals, values, weights, states, node, policy):
    """The edge to go on with below the root; `policy` is room for that of the node."""
    sign = 1 - 2 * states[node][e.PLAYER]
    if b[RULE] == PUCT:
        return _select_by_puct(nodes, edges, reals, values, weights, node, sign)
    _improve(nodes, edges, reals, values, weights, node, sign, 1.0, policy)
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    tried = 1 + nodes[NODE_SIZE * node + TRIED]
    best, best_score = first, LOWEST
    for index in range(n):
        score = policy[index] - edges[EDGE_SIZE * (first + index) + VISITS] / tried
        if score > best_score + TOLERANCE:
            best, best_score = first + index, score
    return best


@inlined
def _select_by_puct(nodes, edges, reals, values, weights, node, sign):
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    untried = _value_to_mover(nodes, edges, reals, values, node, sign)
    weight = weights[EXPLORATION] * math.sqrt(1 + nodes[NODE_SIZE * node + TRIED])
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        visits = edges[EDGE_SIZE * edge + VISITS]
        worth = sign * reals[EDGE_REALS * edge + TOTAL] / visits if visits else untried
        score = worth + weight * math.exp(reals[EDGE_REALS * edge + LOGIT]) / (1 + visits)
        if score > best_score + TOLERANCE:
            best, best_score = edge, score
    return best


@inlined
def _most_visited(edges, reals, first, n, sign, most):
    """The edge with most visits, the better of equals."""
    best, best_score = first, LOWEST
    for edge in range(first, first + n):
        if edges[EDGE_SIZE * edge + VISITS] == most:
            score = sign * reals[EDGE_REALS * edge + TOTAL] / most if most else reals[EDGE_REALS * edge + LOGIT]
            if score > best_score + TOLERANCE:
                best, best_score = edge, score
    return best


@inlined
def _improved(edges, reals, edge, sign, guess, scale, kept):
    """Logit of an edge in the improved policy: `kept` times its own and what its value, or the guess of it, adds."""
    visits = edges[EDGE_SIZE * edge + VISITS]
    worth = sign * reals[EDGE_REALS * edge + TOTAL] / visits if visits else guess
    return kept * reals[EDGE_REALS * edge + LOGIT] + scale * worth


@inlined
def _improve(nodes, edges, reals, values, weights, node, sign, kept, policy):
    """Writes the improved policy of a node; `kept` is the weight of its own logits."""
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    guess = _mixed_value(nodes, edges, reals, values, node, sign)
    scale = _value_weight(edges, weights, first, n)
    highest = LOWEST
    for edge in range(first, first + n):
        highest = max(highest, _improved(edges, reals, edge, sign, guess, scale, kept))
    total = 0.0
    for index in range(n):
        policy[index] = math.exp(_improved(edges, reals, first + index, sign, guess, scale, kept) - highest)
        total += policy[index]
    for index in range(n):
        policy[index] /= total


@inlined
def _value_weight(edges, weights, first, n):
    """How much values count against the policy: more, the more is known of them."""
    most = 0
    for edge in range(first, first + n):
        most = max(most, edges[EDGE_SIZE * edge + VISITS])
    return (weights[VALUE_OFFSET] + most) * weights[VALUE_SCALE]


@inlined
def _mixed_value(nodes, edges, reals, values, node, sign):
    """What an edge without a visit is taken to be worth: between the node's own evaluation and what was found below."""
    own = sign * values[node]
    tried = nodes[NODE_SIZE * node + TRIED]
    if tried == 0:
        return own
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    share, total = 0.0, 0.0
    for edge in range(first, first + n):
        visits = edges[EDGE_SIZE * edge + VISITS]
        if visits:
            probability = math.exp(reals[EDGE_REALS * edge + LOGIT])
            share += probability
            total += probability * sign * reals[EDGE_REALS * edge + TOTAL] / visits
    if share <= 0.0:
        return own
    return (own + tried * total / share) / (1 + tried)


@inlined
def _value_to_mover(nodes, edges, reals, values, node, sign):
    """Mean of the evaluation and of all simulations, for the player to move."""
    first, n = nodes[NODE_SIZE * node + FIRST], nodes[NODE_SIZE * node + COUNT]
    total = values[node]
    for edge in range(first, first + n):
        if edges[EDGE_SIZE * edge + VISITS]:
            total += reals[EDGE_REALS * edge + TOTAL]
    return sign * total / (1 + nodes[NODE_SIZE * node + TRIED])
