"""Alpha-beta search over whole turns, compiled.

The value of a position at depth 0 is its material, once no capture is pending; at a greater depth it is the best of the
values after each turn, at one depth less. A turn of several leaps is several steps of the search, and values change
their sign where the player changes.

The search keeps its own stack, so that it can be left and taken up again. Sources: Knuth and Moore 1975, An Analysis of
Alpha-Beta Pruning; Slate and Atkin 1977, Chess 4.5 (transposition table); Schaeffer 1989, The History Heuristic.
"""

from ..engine import rules as e
from ..engine.compiler import borrowed, inlined, kernel, popcount, wrapped_product, wrapped_sum
from ..solve.tables.index_layout import DRAWN, UNKNOWN
from ..solve.tables.search_probe_kernels import exact_value, plies_to_end

# Scores, for the player to move. A win so many turns away is worth WIN less that many.
MAN_WORTH = 100
KING_WORTH = 200
ROW_WORTH = 1  # of a row that a man has yet before it: little, so that it decides between equals in material
WIN = 30_000
INFINITE = 32_000
SURE = WIN - 1_000  # scores beyond it are won or lost

# Layout of a frame: a position of the line that is being searched. Its own best line follows from LINE.
COUNT, NEXT = 0, 1  # choices, and the next to try
ALPHA, BETA, FLOOR = 2, 3, 4  # the window, and its lower end at first
BEST, CHOICE = 5, 6  # best score so far, and the action that leads to it
DEPTH, PLY = 7, 8  # turns to go, and turns since the root
KEY, HINT = 9, 10  # place in the transposition table, and the action that it advises or -1
ONCE, TWICE = 11, 12  # sums over the positions since the last progress, and over those that occurred twice
LENGTH, LINE = 13, 14

# Layout of the controls of a search. The points of each row of the board follow from ROW.
LEVEL, NODES, CLOCK, GENERATION, MASK, ROWS, ROW = 0, 1, 2, 3, 4, 5, 6

# An entry of the transposition table: a key, and a word of score, bound, depth, action and generation.
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SCORE_BITS, BOUND_BITS, DEPTH_BITS, ACTION_BITS, GENERATION_BITS = 16, 2, 8, 16, 20
BOUND_AT = SCORE_BITS
DEPTH_AT = BOUND_AT + BOUND_BITS
ACTION_AT = DEPTH_AT + DEPTH_BITS
GENERATION_AT = ACTION_AT + ACTION_BITS


@kernel
def search(t, states, choices, frames, w, keys, x, codes, table, history, control, budget):
    """Goes on with a search for `budget` nodes; tells whether it has come to its end.

    `states`, `choices` and `frames` have a row for each step of the line that is being searched, row 0 for the root.
    `keys` are hashes of the positions since the last progress before the root, then of those of the line, turn by turn.
    `x` and `codes` are an endgame table. `table` is the transposition table; `history` says for each player and action
    how much it has refuted.
    """
    return _search(
        borrowed(t),
        borrowed(states),
        borrowed(choices),
        borrowed(frames),
        borrowed(w),
        borrowed(keys),
        borrowed(x),
        borrowed(codes),
        borrowed(table),
        borrowed(history),
        borrowed(control),
        budget,
    )


@kernel
def _search(t, states, choices, frames, w, keys, x, codes, table, history, control, budget):
    level = control[LEVEL]
    nodes = 0
    done = False
    while nodes < budget and not done:
        frame = frames[level]
        if frame[NEXT] < frame[COUNT] and frame[ALPHA] < frame[BETA]:
            action = _next_choice(t, states[level], choices[level], frame, history, level)
            e.copy_state(t, states[level], states[level + 1])
            e.apply_action(t, states[level + 1], w, action)
            level += 1
            nodes += 1
            if _open(t, states, choices, frames, w, keys, x, codes, table, control, level):
                continue
        elif level == 0:
            done = True
            continue
        else:
            _store(frame, table, control)
        _back_up(t, states, choices, frames, history, level)
        level -= 1
    control[LEVEL] = level
    control[NODES] += nodes
    return done


@inlined
def _next_choice(t, s, choices, frame, history, level):
    """Moves the most promising of the untried choices to the front. At the root Python has put them in order."""
    index = frame[NEXT]
    frame[NEXT] = index + 1
    if level > 0:
        scores = t[e.T_NUM_ACTIONS] * s[e.PLAYER]
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
def _open(t, states, choices, frames, w, keys, x, codes, table, control, level):
    """Sets up the frame of a new position. Tells whether it must be searched; if not, its score is in BEST."""
    s = states[level]
    frame = frames[level]
    _inherit(frame, frames[level - 1], s[e.PLAYER] != states[level - 1][e.PLAYER])
    n = e.legal_actions(t, s, w, choices[level])
    earlier = 0
    if t[e.T_THREEFOLD]:
        earlier = _note(t, s, frame, frames[level - 1], keys, control[CLOCK] + frame[PLY])
    result = e.outcome(t, s, n, earlier)
    if result != e.ONGOING:
        frame[BEST] = _final(result % 4, s[e.PLAYER], frame[PLY])
        return False
    code = exact_value(t, x, codes, s, choices[level], n)
    if code != UNKNOWN:
        frame[BEST] = _sure(code, frame[PLY] + plies_to_end(t, s, code))
        return False
    frame[BEST] = -INFINITE
    frame[FLOOR] = frame[ALPHA]
    if frame[DEPTH] == 0 and s[e.CHAIN] < 0:
        n = _count_captures(t, s, choices[level], n)
        if n == 0 or t[e.T_CAPTURE_OPTIONAL]:
            frame[BEST] = evaluate(s, control)
            if n == 0 or frame[BEST] >= frame[BETA]:
                return False
            frame[ALPHA] = max(frame[ALPHA], frame[BEST])
    frame[COUNT] = n
    frame[CHOICE] = choices[level][0]
    return not _probe(t, s, frame, table, control)


@inlined
def _inherit(frame, parent, turned):
    """Hands window and depth down to the position after a step."""
    frame[ALPHA] = -parent[BETA] if turned else parent[ALPHA]
    frame[BETA] = -parent[ALPHA] if turned else parent[BETA]
    frame[PLY] = parent[PLY] + 1 if turned else parent[PLY]
    frame[DEPTH] = parent[DEPTH] - 1 if turned and parent[DEPTH] > 0 else parent[DEPTH]
    frame[NEXT] = 0
    frame[LENGTH] = 0


@inlined
def _final(winner, player, ply):
    """The score of an ended match."""
    if winner == e.NOBODY:
        return 0
    return WIN - ply if winner == player else ply - WIN


@inlined
def _sure(code, ply):
    """The score of a value by the endgame table, for a match that ends so many turns after the root."""
    if code == DRAWN:
        return 0
    return WIN - ply if code > DRAWN else ply - WIN


@inlined
def evaluate(s, control):
    """Material and the rows that men have yet before them, for the player to move.

    Men in reserve are worth something, since most steps forward cannot be taken back.
    """
    player = s[e.PLAYER]
    men = popcount(s[e.MEN + player]) - popcount(s[e.MEN + 1 - player])
    kings = popcount(s[e.KINGS + player]) - popcount(s[e.KINGS + 1 - player])
    rows = 0
    for row in range(control[ROWS]):
        points = control[ROW + row]
        rows += (control[ROWS] - 1 - row) * popcount(s[e.MEN] & points) - row * popcount(s[e.MEN + 1] & points)
    return MAN_WORTH * men + KING_WORTH * kings + ROW_WORTH * (rows if player == 0 else -rows)


@inlined
def _count_captures(t, s, choices, n):
    """Number of captures among the choices, which begin with them."""
    steps = t[e.T_STEPS] + e.STEP_SIZE * t[e.T_NUM_ACTIONS] * s[e.PLAYER] + e.OVER
    count = 0
    while count < n and t[steps + e.STEP_SIZE * choices[count]] >= 0:
        count += 1
    return count


@kernel
def _note(t, s, frame, parent, keys, place):
    """Notes a position for the rule of repetition and tells how often it occurred before.

    In the middle of a chain nothing that was can come again.
    """
    frame[ONCE] = 0
    frame[TWICE] = 0
    if s[e.CHAIN] >= 0:
        return 0
    key = e.position_key(t, s)
    keys[place] = key
    clock = s[e.QUIET]
    earlier = 0
    for back in range(2, clock + 1, 2):
        if keys[place - back] == key:
            earlier += 1
    if clock > 0:
        frame[ONCE] = parent[ONCE]
        frame[TWICE] = parent[TWICE]
    frame[ONCE] = wrapped_sum(frame[ONCE], blend(key, 1))
    if earlier == 1:
        frame[TWICE] = wrapped_sum(frame[TWICE], blend(key, 2))
    return earlier


@kernel
def _table_key(t, s, frame):
    """A hash of everything on which the score can depend within the depth to go.

    That is the clock where its limit is so near, and of the earlier positions those that could occur a third time: one
    that occurred once needs three turns more for that, there and back.
    """
    key = e.position_key(t, s)
    depth = frame[DEPTH]
    if t[e.T_NO_PROGRESS_LIMIT] > 0 and s[e.QUIET] + depth >= t[e.T_NO_PROGRESS_LIMIT]:
        key = blend(key, 1 + s[e.QUIET])
    if t[e.T_HAS_OPENING] and e.is_start(t, s):
        key = blend(key, 1)
    if t[e.T_THREEFOLD] and depth > 0:
        if frame[TWICE]:
            key = blend(key, frame[TWICE])
        if depth > 2:
            key = blend(key, frame[ONCE])
    return key


@inlined
def blend(key, word):
    """A hash of a hash and a word."""
    key = wrapped_product(key ^ (key >> 29) ^ word, 0x1B873593CC9E2D51)
    return key ^ (key >> 32)


@kernel
def _probe(t, s, frame, table, control):
    """Looks a position up. Tells whether its score is known well enough, and then leaves it in BEST.

    Only scores of the same depth count, so that a search gives what it would without the table.
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
def _store(frame, table, control):
    """Notes the score of a position, unless a deeper search of another one stands in its place."""
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
def _back_up(t, states, choices, frames, history, level):
    """Hands the score of a position to the one before it."""
    frame = frames[level]
    parent = frames[level - 1]
    player = states[level - 1][e.PLAYER]
    score = frame[BEST] if states[level][e.PLAYER] == player else -frame[BEST]
    if score <= parent[BEST]:
        return
    action = choices[level - 1][parent[NEXT] - 1]
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
        history[t[e.T_NUM_ACTIONS] * player + action] += parent[DEPTH] * parent[DEPTH]
