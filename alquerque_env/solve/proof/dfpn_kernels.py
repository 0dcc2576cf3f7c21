"""Depth-first proof-number search, compiled.

The question is whether a player, the prover, can win from a position. The proof number of a position is a lower
bound on how many positions must still be shown to prove it; the disproof number is the same for disproving it. The
search follows the step with the smallest number, within limits on both numbers that keep it in one part of the tree.
Sources: Allis, van der Meulen and van den Herik 1994, Proof-Number Search; Nagai 2002, Df-pn Algorithm for Searching
AND/OR Trees and Its Applications; Pawlewicz and Lew 2007, Improving Depth-First PN-Search: 1+ε Trick; Ueda, Hashimoto,
Hashimoto and Iida 2008, Weak Proof-Number Search (the largest number counts in place of the sum, since many lines
transpose in these games).

Plies without progress belong to the position here, so no position can recur and the answer holds under the full rules.
"""

from typing import NamedTuple

from ...engine import rules_scalar as rules
from ...engine.compiler import (
    entry_kernel,
    inlined,
    kernel,
    long_kernel,
    popcount,
    wrapped_product,
    wrapped_sum,
)
from ...engine.kernel_types import Rows, Table, Words
from ...engine.splitmix import INCREMENT_63
from ...game import state_layout as STATE, table_layout as TABLE
from ...game.outcomes import ONGOING
from ..tables.search_probe import exact_value
from ..tables.value_codes import DRAWN, UNKNOWN

INFINITE = 1 << 30
"""Proof number of disproved positions, disproof number of proved ones."""

# Layout of a frame, a position of the line that is searched.
COUNT, CHOSEN = 0, 1  # number of steps, and the one that is searched
PROOF, DISPROOF = 2, 3
PROOF_LIMIT, DISPROOF_LIMIT = 4, 5
KEY, CHECK, WORK = 6, 7, 8  # two hashes of the position, and how many positions were searched below it
FRAME_SIZE = 9

# Row of a step: the numbers and the hashes of the position after it.
KID_PROOF, KID_DISPROOF, KID_KEY, KID_CHECK, KID_SIZE = 0, 1, 2, 3, 4

# Layout of the controls.
LEVEL, NODES, PROVER, MASK, HELD, CONTROL_SIZE = 0, 1, 2, 3, 4, 5
BEGIN = -1  # as a level: the search has not begun

# Entry of the transposition table. The seal shows entries that were half written when the program was killed.
E_KEY, E_SEAL, E_PROOF, E_REST, ENTRY_SIZE = 0, 1, 2, 3, 4
BUCKET = 4
WORK_AT = 31

# The largest lead in pieces that changes the first guess of a number.
_MOST_LEAD = 4


class Known(NamedTuple):
    """What positions are looked up in.

    Attributes:
      t: The step table.
      x, codes: Index and codes of an endgame table.
      memory: The transposition table.
      control: The controls of the search.
      w: Scratch words.
    """

    t: Table
    x: Table
    codes: Table
    memory: Words
    control: Words
    w: Words


class Search(NamedTuple):
    """The line that is searched, a row for each position, row 0 for the root; `kids` has the steps of each position."""

    states: Rows
    choices: Rows
    frames: Rows
    kids: Rows


@long_kernel
def search(known: Known, line: Search, budget: int) -> bool:
    """Searches `budget` more positions; returns whether the question is answered."""
    states, choices, frames, kids = line
    control = known.control
    level = control[LEVEL]
    end = control[NODES] + budget
    if level == BEGIN:
        level += 1  # not `level = 0`: Numba compiles a kernel once for each constant argument
        frames[0][PROOF_LIMIT] = INFINITE
        frames[0][DISPROOF_LIMIT] = INFINITE
        _expand(known, line, level)
    done = False
    while control[NODES] < end:
        frame = frames[level]
        proves = states[level][STATE.PLAYER] == control[PROVER]
        _sum_up(frame, kids[level], proves)
        if frame[PROOF] < frame[PROOF_LIMIT] and frame[DISPROOF] < frame[DISPROOF_LIMIT]:
            _choose(frame, frames[level + 1], kids[level], proves)
            rules.copy_state(known.t, states[level], states[level + 1])
            rules.apply_action(known.t, states[level + 1], known.w, choices[level][frame[CHOSEN]])
            level += 1
            _expand(known, line, level)
            continue
        store(known, frame)
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
def _expand(k: Known, line: Search, level: int) -> None:
    """Sets up the frame of an undecided position, with the numbers of the positions after it."""
    s, after, frame = line.states[level], line.states[level + 1], line.frames[level]
    k.control[NODES] += 1
    frame[WORK] = 1
    frame[KEY] = first_key(k.t, s)
    frame[CHECK] = second_key(k.t, s)
    n = rules.legal_actions(k.t, s, k.w, line.choices[level])
    frame[COUNT] = n
    for index in range(n):
        rules.copy_state(k.t, s, after)
        rules.apply_action(k.t, after, k.w, line.choices[level][index])
        write_numbers(k, after, line.choices[level + 1], line.kids[level], index * KID_SIZE)


@kernel
def write_numbers(k: Known, s: Words, choices: Words, kids: Words, kid: int) -> None:
    """Writes the numbers of a position from the rules, the endgame table, the transposition table, or as a guess.

    Its hashes are not written where the rules or the endgame table decide.
    """
    n = rules.legal_actions(k.t, s, k.w, choices)
    result = rules.outcome(k.t, s, n, 0)
    decided = UNKNOWN
    reached = False
    if result != ONGOING:
        decided = DRAWN
        reached = result % 4 == k.control[PROVER]
    else:
        decided = exact_value(k.t, k.x, k.codes, s, choices, n)
        reached = decided > DRAWN if s[STATE.PLAYER] == k.control[PROVER] else decided < UNKNOWN
    if decided != UNKNOWN:
        kids[kid + KID_PROOF] = 0 if reached else INFINITE
        kids[kid + KID_DISPROOF] = INFINITE if reached else 0
        return
    kids[kid + KID_KEY] = first_key(k.t, s)
    kids[kid + KID_CHECK] = second_key(k.t, s)
    place = find_entry(k.memory, k.control, kids[kid + KID_KEY], kids[kid + KID_CHECK])
    if place >= 0:
        kids[kid + KID_PROOF] = k.memory[place + E_PROOF]
        kids[kid + KID_DISPROOF] = k.memory[place + E_REST] & (1 << WORK_AT) - 1
        return
    _guess(s, k.control[PROVER], n, kids, kid)


@entry_kernel
def numbers_of(known: Known, s: Words, choices: Words, kid: Words) -> None:
    """Writes the numbers of a position into `kid`, called from Python with arrays."""
    write_numbers(known, s, choices, kid, 0)


@inlined
def _guess(s: Table, prover: int, n: int, kids: Words, kid: int) -> None:
    """Guesses the numbers of a position: the more pieces the prover has, the easier the proof."""
    lead = popcount(s[STATE.MEN + prover]) - popcount(s[STATE.MEN + 1 - prover])
    lead += 2 * (popcount(s[STATE.KINGS + prover]) - popcount(s[STATE.KINGS + 1 - prover]))
    lead = max(-_MOST_LEAD, min(_MOST_LEAD, lead))
    proves = s[STATE.PLAYER] == prover
    kids[kid + KID_PROOF] = (1 if proves else n) + _MOST_LEAD - lead
    kids[kid + KID_DISPROOF] = (n if proves else 1) + _MOST_LEAD + lead


@inlined
def _sum_up(frame: Words, kids: Table, proves: bool) -> None:
    """Writes the numbers of a position from those of the positions after it."""
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
        # INFINITE says that the position is decided, which a large sum must not say.
        other = min(other, INFINITE - 1)
    frame[PROOF] = least if proves else other
    frame[DISPROOF] = other if proves else least


@inlined
def _choose(frame: Words, below: Words, kids: Table, proves: bool) -> None:
    """Chooses the step with the smallest number and sets the limits of the search below it."""
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
    # The 1+ε trick with ε = 1/4: the search changes less often between steps with numbers close to each other.
    own = min(own, second + 1 + second // 4)
    # Above the number of the step even where the sum was clipped: else the search would return at once, for ever.
    other = min(INFINITE, max(other - (undecided - 1), kids[best * KID_SIZE + up] + 1))
    below[PROOF_LIMIT] = own if proves else other
    below[DISPROOF_LIMIT] = other if proves else own


@entry_kernel
def find_entry(memory: Table, control: Table, key: int, check: int) -> int:
    """Where the entry of a position begins in the transposition table, or -1."""
    first = (key & control[MASK]) * BUCKET * ENTRY_SIZE
    for place in range(first, first + BUCKET * ENTRY_SIZE, ENTRY_SIZE):
        if memory[place + E_KEY] == key and memory[place + E_SEAL] == _seal(
            check, memory[place + E_PROOF], memory[place + E_REST]
        ):
            return place
    return -1


@kernel
def store(k: Known, frame: Table) -> None:
    """Stores the numbers of a frame. In a full bucket it replaces the position with the least work."""
    memory, key, proof = k.memory, frame[KEY], frame[PROOF]
    first = (key & k.control[MASK]) * BUCKET * ENTRY_SIZE
    best = find_entry(memory, k.control, key, frame[CHECK])
    if best < 0:
        best = first
        for place in range(first, first + BUCKET * ENTRY_SIZE, ENTRY_SIZE):
            if memory[place + E_REST] >> WORK_AT < memory[best + E_REST] >> WORK_AT:
                best = place
        if memory[best + E_REST] == 0:
            k.control[HELD] += 1
    rest = min(frame[WORK], INFINITE) << WORK_AT | frame[DISPROOF]
    memory[best + E_KEY] = key
    memory[best + E_SEAL] = _seal(frame[CHECK], proof, rest)
    memory[best + E_PROOF] = proof
    memory[best + E_REST] = rest


@inlined
def _seal(check: int, proof: int, rest: int) -> int:
    return check ^ wrapped_product(proof + 1, 0x2545F4914F6CDD1D) ^ wrapped_product(rest + 1, 0x1B03738712FAD5C9)


@kernel
def first_key(t: Table, s: Table) -> int:
    """A hash of the state, with its plies without progress if they are limited."""
    key = rules.position_key(t, s)
    if t[TABLE.NO_PROGRESS_LIMIT]:
        key = _blend(key, s[STATE.QUIET])
    return key


@kernel
def second_key(t: Table, s: Table) -> int:
    """Another hash: two positions of a search are the same only if both hashes are."""
    key = 0x3C6EF372FE94F82B
    for index in range(t[TABLE.STATE_SIZE]):
        if index != STATE.QUIET or t[TABLE.NO_PROGRESS_LIMIT]:
            key = _blend(key, wrapped_sum(s[index], INCREMENT_63 >> (index & 15)))
    return key


@inlined
def _blend(key: int, word: int) -> int:
    key = wrapped_product(key ^ (key >> 29) ^ word, 0x1B873593CC9E2D51)
    key = wrapped_product(key ^ (key >> 32), 0x2C1B3C6DD1E4F0A7)
    return key ^ (key >> 30)
