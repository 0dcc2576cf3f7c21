"""Kernels of an alpha-beta search over whole turns.

At depth 0 only captures are searched (quiescence); `static_evaluation.py` gives the value of a quiet position, or
`pattern_kernels.py` where there are patterns. At a greater depth the value is the best of those after each turn, at one
depth less. A turn of several leaps is several plies of the tree, and values are negated only where the player to move
changes. Each ply of a schedule counts as a turn, also where the same player goes on: a turn of four drops has tens of
thousands of orders.

With bent leaps a position can have more turns than a search has time for. A search can therefore be narrowed: it then
looks at so many turns of each position, and at so many positions of each quiescence search. The turns are shared out
among the steps that begin them, so that no step is judged by less than one turn.

The search keeps its own stack, so that it can be interrupted and resumed. Sources: Knuth and Moore 1975, An Analysis of
Alpha-Beta Pruning; Slate and Atkin 1977, Chess 4.5 (transposition table); Schaeffer 1989, The History Heuristic.
"""

from typing import Any, NamedTuple

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel, inlined, kernel, wrapped_product, wrapped_sum
from ..engine.kernel_types import Rows, Table, Words
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.outcomes import NO_WINNER, ONGOING
from ..solve.tables.search_probe import exact_value, plies_to_end
from ..solve.tables.value_codes import DRAWN, UNKNOWN
from .pattern_kernels import judge
from .quiescence import count_leaps
from .scores import INFINITE, SURE, WIN

# Layout of a stack entry, a position on the path that is searched. Its principal variation stands from LINE on.
COUNT, NEXT = 0, 1  # choices, and the next to try
ALPHA, BETA, FLOOR = 2, 3, 4  # the window, and alpha at first
BEST, CHOICE = 5, 6  # best score so far, and the action that leads to it
DEPTH, PLY = 7, 8  # turns left to search, and turns since the root
KEY, HINT = 9, 10  # hash for the transposition table, and the best action stored there or -1
ONCE, TWICE = 11, 12  # hashes of the positions since the last progress, and of those that occurred twice
LEFT = 13  # turns left to look at in this position, if the search is narrowed
LENGTH, LINE = 14, 15

# Layout of the state of a search. A narrowed search looks at MOST_TURNS turns of a position and MOST_CAPTURES positions
# of a quiescence search; both are 0 if it is not narrowed.
LEVEL, NODES, CLOCK, GENERATION, MASK, MOST_TURNS, MOST_CAPTURES, CAPTURES, CONTROL_SIZE = 0, 1, 2, 3, 4, 5, 6, 7, 8

# An entry of the transposition table: a hash, and an integer of score, bound, depth, action and generation.
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SCORE_BITS, BOUND_BITS, DEPTH_BITS, ACTION_BITS, GENERATION_BITS = 16, 2, 8, 16, 20
BOUND_AT = SCORE_BITS
DEPTH_AT = BOUND_AT + BOUND_BITS
ACTION_AT = DEPTH_AT + DEPTH_BITS
GENERATION_AT = ACTION_AT + ACTION_BITS


class Search(NamedTuple):
    """The arrays of a search.

    Attributes:
      states: The states on the path, row 0 for the root.
      choices: The actions of each, likewise.
      frames: The stack, likewise.
      scratch: Scratch space of the rules.
      keys: Hashes of the positions since the last progress before the root, then of those on the path, turn by turn.
      table_index: Index of an endgame table.
      codes: Values of the endgame table.
      table: The transposition table.
      history: Counts of cut-offs by player and action.
      features: What the static evaluation looks at.
      patterns, weights, numbers: What `judge` looks at.
      control: The state of the search.
    """

    states: Rows
    choices: Rows
    frames: Rows
    scratch: Words
    keys: Words
    table_index: Table
    codes: Any
    table: Words
    history: Words
    features: Table
    patterns: Table
    weights: Any
    numbers: Words
    control: Words


@entry_kernel
def search(t: Table, a: Search, budget: int) -> bool:
    """Continues a search for `budget` nodes; returns whether it is finished."""
    states, choices, control = a.states, a.choices, a.control
    level = control[LEVEL]
    nodes = 0
    done = False
    while nodes < budget and not done:
        frame = a.frames[level]
        has_more = frame[NEXT] < frame[COUNT] and frame[ALPHA] < frame[BETA]
        if has_more and (control[MOST_TURNS] == 0 or level == 0 or not _had_its_share(states[level], frame)):
            action = _next_choice(t, states[level], choices[level], frame, a.history, level)
            rules.copy_state(t, states[level], states[level + 1])
            rules.apply_action(t, states[level + 1], a.scratch, action)
            level += 1
            nodes += 1
            if _open(t, a, level):
                continue
        elif level == 0:
            done = True
            continue
        else:
            _store(frame, a.table, control)
        _back_up(t, a, level)
        level -= 1
    control[LEVEL] = level
    control[NODES] += nodes
    return done


@inlined
def begin(a: Search, count: int, depth: int) -> None:
    """Sets up a search of the first `count` choices at the root to a depth, with a full window."""
    root = a.frames[0]
    root[COUNT], root[NEXT] = count, 0
    root[ALPHA], root[BETA], root[BEST] = -INFINITE, INFINITE, -INFINITE
    root[DEPTH], root[PLY], root[LENGTH], root[LEFT] = depth, 0, 0, 0
    a.control[LEVEL] = 0


@entry_kernel
def sum_repetitions(keys: Words, clock: int, frame: Words) -> None:
    """Hashes the positions since progress that occurred once and twice, from those before `clock` plies and it."""
    frame[ONCE] = 0
    frame[TWICE] = 0
    for place in range(clock + 1):
        key = keys[place]
        earlier = 0
        for before in range(place):
            earlier += keys[before] == key
        frame[ONCE] = wrapped_sum(frame[ONCE], blend(key, 1))
        if earlier == 1:
            frame[TWICE] = wrapped_sum(frame[TWICE], blend(key, 2))


@inlined
def _had_its_share(s: Table, frame: Words) -> bool:
    """Whether a narrowed search goes on from a position in the middle of a chain with the best turn so far."""
    return frame[LEFT] <= 0 and s[STATE.CHAIN] >= 0 and frame[BEST] > -INFINITE


@inlined
def _next_choice(t: Table, s: Table, choices: Words, frame: Words, history: Words, level: int) -> int:
    """The next choice: the stored best action, then by history. At the root the choices are in order already."""
    index = frame[NEXT]
    frame[NEXT] = index + 1
    if level > 0:
        scores = t[TABLE.NUM_ACTIONS] * s[STATE.PLAYER]
        best = index
        for other in range(index, frame[COUNT]):
            if choices[other] == frame[HINT]:
                best = other
                break
            if history[scores + choices[other]] > history[scores + choices[best]]:
                best = other
        choices[index], choices[best] = choices[best], choices[index]
    return choices[index]


@kernel
def _open(t: Table, a: Search, level: int) -> bool:
    """Sets up the stack entry of a new position. Returns whether it must be searched; if not, its score is in BEST."""
    s, choices, control = a.states[level], a.choices[level], a.control
    frame, parent = a.frames[level], a.frames[level - 1]
    in_chain = s[STATE.CHAIN] >= 0
    _inherit(frame, parent, s[STATE.PLAYER] != a.states[level - 1][STATE.PLAYER], in_chain)
    frame[LEFT] = _share(parent) if in_chain else control[MOST_TURNS]
    n = rules.legal_actions(t, s, a.scratch, choices)
    earlier = 0
    if t[TABLE.THREEFOLD]:
        earlier = _note(t, s, frame, parent, a.keys, control[CLOCK] + frame[PLY])
    result = rules.outcome(t, s, n, earlier)
    if result != ONGOING:
        winner = rules.winner_of(result)
        frame[BEST] = 0 if winner == NO_WINNER else _end_score(winner == s[STATE.PLAYER], frame[PLY])
        return False
    code = exact_value(t, a.table_index, a.codes, s, choices, n)
    if code != UNKNOWN:
        frame[BEST] = 0 if code == DRAWN else _end_score(code > DRAWN, frame[PLY] + plies_to_end(t, s, code))
        return False
    if frame[DEPTH] == 0 and control[MOST_CAPTURES] > 0:
        control[CAPTURES] = control[MOST_CAPTURES] if parent[DEPTH] > 0 else control[CAPTURES] - 1
        if control[CAPTURES] <= 0:
            frame[BEST] = _judge(t, s, a)
            return False
    frame[BEST] = -INFINITE
    frame[FLOOR] = frame[ALPHA]
    if frame[DEPTH] == 0 and not in_chain:
        if t[TABLE.NUM_FLANKS]:
            n = _count_flanking(t, s, a.states[level + 1], a.scratch, choices, n)
        else:
            n = count_leaps(t, s, choices, n)
        if n == 0 or t[TABLE.CAPTURE_OPTIONAL]:
            frame[BEST] = _judge(t, s, a)
            if n == 0 or frame[BEST] >= frame[BETA]:
                return False
            frame[ALPHA] = max(frame[ALPHA], frame[BEST])
    frame[COUNT] = n
    frame[CHOICE] = choices[0]
    return not _probe(t, s, frame, a.table, control)


@inlined
def _judge(t: Table, s: Table, a: Search) -> int:
    return judge(t, s, a.features, a.patterns, a.weights, a.numbers)


@kernel
def _count_flanking(t: Table, s: Table, after: Words, w: Words, choices: Words, n: int) -> int:
    """Number of captures by flanking among `n` legal actions, which it puts first. Removals do not count."""
    player = s[STATE.PLAYER]
    theirs = STATE.MEN + 1 - player
    count = 0
    for index in range(n):
        rules.copy_state(t, s, after)
        rules.apply_action(t, after, w, choices[index])
        is_removal = t[rules.step_of(t, player, choices[index]) + TABLE.OVER] >= 0
        if after[theirs] != s[theirs] and not is_removal:
            choices[index], choices[count] = choices[count], choices[index]
            count += 1
    return count


@inlined
def _inherit(frame: Words, parent: Words, turned: bool, in_chain: bool) -> None:
    """Sets the window and the depth of the position after a step."""
    frame[ALPHA] = -parent[BETA] if turned else parent[ALPHA]
    frame[BETA] = -parent[ALPHA] if turned else parent[BETA]
    frame[PLY] = parent[PLY] if in_chain else parent[PLY] + 1
    frame[DEPTH] = parent[DEPTH] if in_chain or parent[DEPTH] == 0 else parent[DEPTH] - 1
    frame[NEXT] = 0
    frame[LENGTH] = 0


@inlined
def _share(frame: Words) -> int:
    """The share of the turns left in a position for the step that was tried last, among those not tried before it."""
    steps = frame[COUNT] - frame[NEXT] + 1
    return (frame[LEFT] + steps - 1) // steps


@inlined
def _end_score(is_won: bool, ply: int) -> int:
    """The score of a match that ends `ply` turns after the root."""
    return WIN - ply if is_won else ply - WIN


@kernel
def _note(t: Table, s: Table, frame: Words, parent: Words, keys: Words, place: int) -> int:
    """Stores the hash of a position for the repetition rule; returns how often the position occurred before.

    Positions in the middle of a chain do not count.
    """
    frame[ONCE] = 0
    frame[TWICE] = 0
    if s[STATE.CHAIN] >= 0:
        return 0
    key = rules.position_key(t, s)
    keys[place] = key
    clock = s[STATE.QUIET]
    earlier = rules.occurrences(keys, place - clock + clock % 2, place, key)
    if clock > 0:
        frame[ONCE] = parent[ONCE]
        frame[TWICE] = parent[TWICE]
    frame[ONCE] = wrapped_sum(frame[ONCE], blend(key, 1))
    if earlier == 1:
        frame[TWICE] = wrapped_sum(frame[TWICE], blend(key, 2))
    return earlier


@kernel
def _table_key(t: Table, s: Table, frame: Words) -> int:
    """A hash of everything that the score can depend on within the remaining depth.

    This includes the clock if its limit is within this depth, and earlier positions that could occur a third time. One
    that occurred once needs at least three more turns for it.
    """
    key = rules.position_key(t, s)
    depth = frame[DEPTH]
    if t[TABLE.NO_PROGRESS_LIMIT] > 0 and s[STATE.QUIET] + depth >= t[TABLE.NO_PROGRESS_LIMIT]:
        key = blend(key, 1 + s[STATE.QUIET])
    if t[TABLE.HAS_OPENING] and rules.is_start(t, s):
        key = blend(key, 1)
    if t[TABLE.THREEFOLD] and depth > 0:
        if frame[TWICE]:
            key = blend(key, frame[TWICE])
        if depth > 2:
            key = blend(key, frame[ONCE])
    return key


@entry_kernel
def blend(key: int, word: int) -> int:
    """A hash of a hash and a word."""
    key = wrapped_product(key ^ (key >> 29) ^ word, 0x1B873593CC9E2D51)
    return key ^ (key >> 32)


@kernel
def _probe(t: Table, s: Table, frame: Words, table: Words, control: Words) -> bool:
    """Looks a position up in the transposition table. Returns whether its score is known, which is then in BEST.

    Only scores of the same depth are used, so the result of a search does not depend on the table.
    """
    key = _table_key(t, s, frame)
    frame[KEY] = key
    frame[HINT] = -1
    place = 2 * (key & control[MASK])
    entry = table[place + 1]
    if table[place] != key or entry >> GENERATION_AT != control[GENERATION]:
        return False
    frame[HINT] = entry >> ACTION_AT & (1 << ACTION_BITS) - 1
    if entry >> DEPTH_AT & (1 << DEPTH_BITS) - 1 != frame[DEPTH]:
        return False
    score = (entry & (1 << SCORE_BITS) - 1) - INFINITE
    if score > SURE:
        score -= frame[PLY]
    elif score < -SURE:
        score += frame[PLY]
    bound = entry >> BOUND_AT & (1 << BOUND_BITS) - 1
    if bound == EXACT or (bound == AT_LEAST and score >= frame[BETA]) or (bound == AT_MOST and score <= frame[ALPHA]):
        frame[BEST] = score
        return True
    return False


@kernel
def _store(frame: Words, table: Words, control: Words) -> None:
    """Stores the score of a position, unless its place holds a deeper search of another position."""
    place = 2 * (frame[KEY] & control[MASK])
    old = table[place + 1]
    is_current = old >> GENERATION_AT == control[GENERATION]
    if is_current and table[place] != frame[KEY] and (old >> DEPTH_AT & (1 << DEPTH_BITS) - 1) > frame[DEPTH]:
        return
    score = frame[BEST]
    bound = EXACT
    if score >= frame[BETA]:
        bound = AT_LEAST
    elif score <= frame[FLOOR]:
        bound = AT_MOST
    # Scores of ends count turns from the root. The table counts from the position, whose ply differs between lines.
    if score > SURE:
        score += frame[PLY]
    elif score < -SURE:
        score -= frame[PLY]
    table[place] = frame[KEY]
    table[place + 1] = (
        score + INFINITE
        | bound << BOUND_AT
        | frame[DEPTH] << DEPTH_AT
        | frame[CHOICE] << ACTION_AT
        | control[GENERATION] << GENERATION_AT
    )


@kernel
def _back_up(t: Table, a: Search, level: int) -> None:
    """Updates score, window and principal variation of the position before."""
    frame = a.frames[level]
    parent = a.frames[level - 1]
    player, s = a.states[level - 1][STATE.PLAYER], a.states[level]
    score = frame[BEST] if s[STATE.PLAYER] == player else -frame[BEST]
    # What a chain has left of its share goes to the steps after it.
    parent[LEFT] -= _share(parent) - frame[LEFT] if s[STATE.CHAIN] >= 0 else 1
    if score <= parent[BEST]:
        return
    action = a.choices[level - 1][parent[NEXT] - 1]
    parent[BEST] = score
    parent[CHOICE] = action
    if score <= parent[ALPHA]:
        return
    parent[ALPHA] = score
    parent[LINE] = action
    for index in range(frame[LENGTH]):
        parent[LINE + 1 + index] = frame[LINE + index]
    parent[LENGTH] = frame[LENGTH] + 1
    if score >= parent[BETA]:
        a.history[t[TABLE.NUM_ACTIONS] * player + action] += parent[DEPTH] * parent[DEPTH]
