"""Kernels that make examples for a learned evaluation: positions like the leaves of a search, with deeper scores.

Matches are played by a shallow search that begins with a few random steps and takes a random one now and then. From
each of their positions one and two random steps lead off the line: the leaves of a search are positions that nobody
would play. Where these positions, and those of the line, are quiet, a deeper search scores them. Positions of the line
also get the result of the match, which ends where a search has found who wins. Positions in which one side is far ahead
teach little, so few of them are taken.
"""

from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.compiler import inlined, kernel, long_kernel
from alquerque_env.engine.kernel_types import Rows, Table, Words
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.outcomes import NO_WINNER, ONGOING
from alquerque_env.search import alphabeta_kernels as k
from alquerque_env.search.alphabeta_kernels import Search
from alquerque_env.search.quiescence import count_leaps
from alquerque_env.search.scores import MAN_SCORE, SURE
from alquerque_env.search.static_evaluation import evaluate

# The words of a plan: depths of the searches that play and that score, the most random steps at the beginning, random
# steps of a thousand, and steps after which a match is a draw.
PLAY_DEPTH, SCORE_DEPTH, MOST_FIRST, RANDOM, MOST_STEPS, PLAN_SIZE = 0, 1, 2, 3, 4, 5
MOST_OFF = 2
"""The most random steps off the line."""
FAR_AHEAD, FEW = 3 * MAN_SCORE, 8
"""From this static evaluation on, one of so many positions is taken."""
MOST_NODES = 1 << 18
"""Nodes of a search, all depths together, after which the depth that was finished last counts."""

# An example: the score for the player to move, the static evaluation, the result of the match for that player or
# UNPLAYED, and from STATE_AT on the state.
SCORE, STATIC, RESULT, STATE_AT = 0, 1, 2, 3
UNPLAYED = 2


@long_kernel
def play_match(t: Table, a: Search, b: Search, plan: Table, rng: Words, spare: Words, examples: Rows, room: int) -> int:
    """Plays a match and writes its examples, at most `room`; returns their number.

    The search that scores, `b`, differs from the one that plays in its endgame table alone.
    """
    state, choices = a.states[0], a.choices[0]
    for index in range(t[TABLE.STATE_SIZE]):
        state[index] = t[t[TABLE.START] + index]
    first, steps, count = rules.random_below(rng, plan[MOST_FIRST] + 1), 0, 0
    result, winner = ONGOING, NO_WINNER
    while result == ONGOING and winner == NO_WINNER and steps < plan[MOST_STEPS]:
        n = rules.legal_actions(t, state, a.scratch, choices)
        result = rules.outcome(t, state, n, 0)
        if result != ONGOING:
            winner = rules.winner_of(result)
            continue
        action = choices[0]
        if n > 1 and (steps < first or rules.random_below(rng, 1000) < plan[RANDOM]):
            action = choices[rules.random_below(rng, n)]
        elif n > 1:
            for off in range(MOST_OFF + 1):
                if count < room:
                    rules.copy_state(t, state, spare)
                    count += _take(t, b, plan, rng, off, examples[count])
                    rules.copy_state(t, spare, state)
            _search(t, a, plan[PLAY_DEPTH])
            action = choices[0]
            if abs(a.frames[0][k.BEST]) > SURE:
                winner = state[STATE.PLAYER] if a.frames[0][k.BEST] > 0 else 1 - state[STATE.PLAYER]
        rules.apply_action(t, state, a.scratch, action)
        steps += 1
    for index in range(count):
        example = examples[index]
        if example[RESULT] != UNPLAYED:
            mover = example[STATE_AT + STATE.PLAYER]
            example[RESULT] = 0 if winner == NO_WINNER else 1 if winner == mover else -1
    return count


@kernel
def _take(t: Table, a: Search, plan: Table, rng: Words, off: int, example: Words) -> int:
    """Writes an example so many steps off the position at level 0, which it changes; returns whether there is one.

    There is none where the position is not quiet, or has too many turns for a search.
    """
    state, choices = a.states[0], a.choices[0]
    for _ in range(off):
        n = rules.legal_actions(t, state, a.scratch, choices)
        if rules.outcome(t, state, n, 0) != ONGOING:
            return 0
        rules.apply_action(t, state, a.scratch, choices[rules.random_below(rng, n)])
    n = rules.legal_actions(t, state, a.scratch, choices)
    if rules.outcome(t, state, n, 0) != ONGOING or state[STATE.CHAIN] >= 0 or count_leaps(t, state, choices, n):
        return 0
    static = evaluate(t, state, a.features)
    if abs(static) >= FAR_AHEAD and rules.random_below(rng, FEW):
        return 0
    if not _search(t, a, plan[SCORE_DEPTH]):
        return 0
    for index in range(t[TABLE.STATE_SIZE]):
        example[STATE_AT + index] = state[index]
    example[STATIC] = static
    example[SCORE] = a.frames[0][k.BEST]
    example[RESULT] = 0 if off == 0 else UNPLAYED
    return 1


@kernel
def _search(t: Table, a: Search, most: int) -> int:
    """Searches the position at level 0 up to a depth; returns the depth that was reached.

    The best action is then the first choice, and BEST its score, 0 if no depth was reached. Earlier positions do not
    count.
    """
    root, state, choices, control = a.frames[0], a.states[0], a.choices[0], a.control
    control[k.GENERATION] = (control[k.GENERATION] + 1) % (1 << k.GENERATION_BITS)
    if t[TABLE.THREEFOLD]:
        control[k.CLOCK] = state[STATE.QUIET]
        for index in range(control[k.CLOCK]):
            a.keys[index] = 0
    n = rules.legal_actions(t, state, a.scratch, choices)
    root[k.ONCE], root[k.TWICE] = 0, 0
    control[k.NODES] = 0
    score, reached = 0, 0
    for depth in range(1, most + 1):
        k.begin(a, n, depth)
        if not k.search(t, a, MOST_NODES - control[k.NODES]):
            break
        _to_front(choices, n, root[k.CHOICE])
        score, reached = root[k.BEST], depth
    root[k.BEST] = score
    return reached


@inlined
def _to_front(choices: Words, n: int, best: int) -> None:
    """Puts the best choice first and keeps the order of the others."""
    last = best
    for index in range(n):
        choices[index], last = last, choices[index]
        if last == best:
            return
