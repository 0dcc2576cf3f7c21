"""Depth-first proof-number search, compiled.

A question is whether a player, the prover, can reach a goal from a position. The proof number of a position is how much
must yet be shown, at least, to prove it; its disproof number how much to disprove it. The search goes where least is
missing, within limits on both numbers that make it stay in one part of the tree for as long as that is best. Sources:
Allis, van der Meulen and van den Herik 1994, Proof-Number Search; Nagai 2002, Df-pn Algorithm for Searching AND/OR
Trees and Its Applications; Pawlewicz and Lew 2007, Improving Depth-First PN-Search: 1+ε Trick; Ueda, Hashimoto,
Hashimoto and Iida 2008, Weak Proof-Number Search (of the numbers that would be added up, the largest counts, since in
these games many ways lead to the same positions).

The clock belongs to the position here, so no position can come again and the answer is that of the whole rules.
"""

from ...engine import rules as e
from ...engine.compiler import borrowed, inlined, kernel, popcount, wrapped_product, wrapped_sum
from ..tables.index_layout import DRAWN, UNKNOWN
from ..tables.search_probe_kernels import exact_value

INFINITE = 1 << 30
"""Proof number of what is disproved, disproof number of what is proved."""

# Layout of a frame: a position of the line that is being searched.
COUNT, CHOSEN = 0, 1  # steps, and the one that is being searched
PROOF, DISPROOF = 2, 3
PROOF_LIMIT, DISPROOF_LIMIT = 4, 5
KEY, CHECK, WORK = 6, 7, 8  # two hashes of the position, and how many have been searched below it
FRAME_SIZE = 9

# Rows of a step of a position: its numbers and the hashes of the position after it.
KID_PROOF, KID_DISPROOF, KID_KEY, KID_CHECK, KID_SIZE = 0, 1, 2, 3, 4

# Layout of the controls.
LEVEL, NODES, PROVER, DRAW_IS_ENOUGH, MASK, HELD, CONTROL_SIZE = 0, 1, 2, 3, 4, 5, 6
BEGIN = -1  # as a level: the search has not begun

# An entry of the memory of positions. What does not fit together was written when the program was ended in the middle.
E_KEY, E_SEAL, E_PROOF, E_REST, ENTRY_SIZE = 0, 1, 2, 3, 4
BUCKET = 4
WORK_AT = 31

# Up to how many pieces more or less make it easier or harder to prove something.
_MOST_LEAD = 4


@kernel
def search(t, states, choices, frames, kids, w, x, codes, memory, control, budget):
    """Goes on with a search for `budget` positions, or to its end; tells whether that is reached.

    `states`, `choices`, `frames` and `kids` have a row for each step of the line that is being searched, row 0 for the
    root. `x` and `codes` are an endgame table. `memory` remembers the numbers of positions.
    """
    return _search(
        borrowed(t),
        borrowed(states),
        borrowed(choices),
        borrowed(frames),
        borrowed(kids),
        borrowed(w),
        borrowed(x),
        borrowed(codes),
        borrowed(memory),
        borrowed(control),
        budget,
    )


@kernel
def _search(t, states, choices, frames, kids, w, x, codes, memory, control, budget):
    level = control[LEVEL]
    end = control[NODES] + budget
    if level == BEGIN:
        level = 0
        frames[0][PROOF_LIMIT] = INFINITE
        frames[0][DISPROOF_LIMIT] = INFINITE
        _open(t, states, choices, frames, kids, w, x, codes, memory, control, 0)
    done = False
    while control[NODES] < end:
        frame = frames[level]
        proves = states[level][e.PLAYER] == control[PROVER]
        _sum_up(frame, kids[level], proves)
        if frame[PROOF] < frame[PROOF_LIMIT] and frame[DISPROOF] < frame[DISPROOF_LIMIT]:
            _choose(frame, frames[level + 1], kids[level], proves)
            e.copy_state(t, states[level], states[level + 1])
            e.apply_action(t, states[level + 1], w, choices[level][frame[CHOSEN]])
            level += 1
            _open(t, states, choices, frames, kids, w, x, codes, memory, control, level)
            continue
        remember(memory, control, frame[KEY], frame[CHECK], frame[PROOF], frame[DISPROOF], frame[WORK])
        if level == 0:
            done = True
            break
        level -= 1
        kid = frames[level][CHOSEN] * KID_SIZE
        kids[level][kid + KID_PROOF] = frame[PROOF]
        kids[level][kid + KID_DISPROOF] = frame[DISPROOF]
        frames[level][WORK] += frame[WORK]
    control[LEVEL] = level
    return done


@kernel
def _open(t, states, choices, frames, kids, w, x, codes, memory, control, level):
    """Sets up the frame of a position that is not decided, with what is known of those after it."""
    s, after, frame = states[level], states[level + 1], frames[level]
    control[NODES] += 1
    frame[WORK] = 1
    frame[KEY] = first_key(t, s)
    frame[CHECK] = second_key(t, s)
    n = e.legal_actions(t, s, w, choices[level])
    frame[COUNT] = n
    for index in range(n):
        e.copy_state(t, s, after)
        e.apply_action(t, after, w, choices[level][index])
        numbers_of(t, after, choices[level + 1], w, x, codes, memory, control, kids[level], index * KID_SIZE)


@kernel
def numbers_of(t, s, choices, w, x, codes, memory, control, kids, kid):
    """Writes the numbers of a position after a step: from the rules, the table, the memory, or at a guess.

    Its keys stay as they are where the rules or the table decide.
    """
    n = e.legal_actions(t, s, w, choices)
    result = e.outcome(t, s, n, 0)
    decided = UNKNOWN
    reached = False
    if result != e.ONGOING:
        decided = DRAWN
        reached = result % 4 == control[PROVER] or (result % 4 == e.NOBODY and control[DRAW_IS_ENOUGH] == 1)
    else:
        decided = exact_value(t, x, codes, s, choices, n)
        wins = decided > DRAWN if s[e.PLAYER] == control[PROVER] else decided < UNKNOWN
        reached = wins or (decided == DRAWN and control[DRAW_IS_ENOUGH] == 1)
    if decided != UNKNOWN:
        kids[kid + KID_PROOF] = 0 if reached else INFINITE
        kids[kid + KID_DISPROOF] = INFINITE if reached else 0
        return
    kids[kid + KID_KEY] = first_key(t, s)
    kids[kid + KID_CHECK] = second_key(t, s)
    place = recall(memory, control, kids[kid + KID_KEY], kids[kid + KID_CHECK])
    if place >= 0:
        kids[kid + KID_PROOF] = memory[place + E_PROOF]
        kids[kid + KID_DISPROOF] = memory[place + E_REST] & (1 << WORK_AT) - 1
        return
    _guess(s, control[PROVER], n, kids, kid)


@kernel
def value(t, s, choices, w, x, codes, memory, control, kid):
    """Writes the numbers of a position into `kid`; its keys stay 0 where the rules or the table decide."""
    p_t, p_s, p_choices, p_w, p_x = borrowed(t), borrowed(s), borrowed(choices), borrowed(w), borrowed(x)
    numbers_of(p_t, p_s, p_choices, p_w, p_x, borrowed(codes), borrowed(memory), borrowed(control), borrowed(kid), 0)


@inlined
def _guess(s, prover, n, kids, kid):
    """Numbers of a position that has not been searched: the more pieces the prover has, the easier the proof."""
    lead = popcount(s[e.MEN + prover]) - popcount(s[e.MEN + 1 - prover])
    lead += 2 * (popcount(s[e.KINGS + prover]) - popcount(s[e.KINGS + 1 - prover]))
    lead = max(-_MOST_LEAD, min(_MOST_LEAD, lead))
    proves = s[e.PLAYER] == prover
    kids[kid + KID_PROOF] = (1 if proves else n) + _MOST_LEAD - lead
    kids[kid + KID_DISPROOF] = (n if proves else 1) + _MOST_LEAD + lead


@inlined
def _sum_up(frame, kids, proves):
    """The numbers of a position from those after its steps."""
    least = INFINITE
    most = 0
    undecided = 0
    down = KID_PROOF if proves else KID_DISPROOF
    up = KID_DISPROOF if proves else KID_PROOF
    is_open = False
    for kid in range(0, frame[COUNT] * KID_SIZE, KID_SIZE):
        least = min(least, kids[kid + down])
        if kids[kid + up] > 0:
            most = max(most, kids[kid + up])
            undecided += 1
            is_open = True
    other = min(most + undecided - 1, INFINITE) if is_open else 0
    if least == 0:
        other = INFINITE
    elif least >= INFINITE:
        other = 0
    else:
        other = min(other, INFINITE - 1)
    frame[PROOF] = least if proves else other
    frame[DISPROOF] = other if proves else least


@inlined
def _choose(frame, below, kids, proves):
    """Chooses the most promising step and sets the limits of the search below it."""
    down = KID_PROOF if proves else KID_DISPROOF
    up = KID_DISPROOF if proves else KID_PROOF
    best = 0
    least = second = INFINITE
    undecided = 0
    for index in range(frame[COUNT]):
        number = kids[index * KID_SIZE + down]
        if kids[index * KID_SIZE + up] > 0:
            undecided += 1
        if number < least:
            second = least
            least = number
            best = index
        elif number < second:
            second = number
    frame[CHOSEN] = best
    own = frame[PROOF_LIMIT] if proves else frame[DISPROOF_LIMIT]
    other = frame[DISPROOF_LIMIT] if proves else frame[PROOF_LIMIT]
    own = min(own, second + 1 + second // 4)
    other = min(INFINITE, max(other - (undecided - 1), kids[best * KID_SIZE + up] + 1))
    below[PROOF_LIMIT] = own if proves else other
    below[DISPROOF_LIMIT] = other if proves else own


@kernel
def recall(memory, control, key, check):
    """Where a position stands in the memory, or -1."""
    first = (key & control[MASK]) * BUCKET * ENTRY_SIZE
    for place in range(first, first + BUCKET * ENTRY_SIZE, ENTRY_SIZE):
        if memory[place + E_KEY] == key and memory[place + E_SEAL] == _seal(
            check, memory[place + E_PROOF], memory[place + E_REST]
        ):
            return place
    return -1


@kernel
def remember(memory, control, key, check, proof, disproof, work):
    """Notes the numbers of a position, in the place of one that has taken less work if there is no room."""
    first = (key & control[MASK]) * BUCKET * ENTRY_SIZE
    best = recall(memory, control, key, check)
    if best < 0:
        best = first
        for place in range(first, first + BUCKET * ENTRY_SIZE, ENTRY_SIZE):
            if memory[place + E_REST] >> WORK_AT < memory[best + E_REST] >> WORK_AT:
                best = place
        if memory[best + E_REST] == 0:
            control[HELD] += 1
    rest = min(work, INFINITE) << WORK_AT | disproof
    memory[best + E_KEY] = key
    memory[best + E_SEAL] = _seal(check, proof, rest)
    memory[best + E_PROOF] = proof
    memory[best + E_REST] = rest


@inlined
def _seal(check, proof, rest):
    return check ^ wrapped_product(proof + 1, 0x2545F4914F6CDD1D) ^ wrapped_product(rest + 1, 0x1B03738712FAD5C9)


@kernel
def first_key(t, s):
    """A hash of everything in the state, with the clock where there is a limit."""
    key = e.position_key(t, s)
    if t[e.T_NO_PROGRESS_LIMIT]:
        key = _blend(key, s[e.QUIET])
    return key


@kernel
def second_key(t, s):
    """Another one, so that no two positions of a search are taken for the same."""
    key = 0x3C6EF372FE94F82B
    for index in range(t[e.T_STATE_SIZE]):
        if index != e.QUIET or t[e.T_NO_PROGRESS_LIMIT]:
            key = _blend(key, wrapped_sum(s[index], 0x1E3779B97F4A7C15 >> (index & 15)))
    return key


@inlined
def _blend(key, word):
    key = wrapped_product(key ^ (key >> 29) ^ word, 0x1B873593CC9E2D51)
    key = wrapped_product(key ^ (key >> 32), 0x2C1B3C6DD1E4F0A7)
    return key ^ (key >> 30)
