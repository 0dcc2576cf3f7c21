"""Search features: the material swing of each legal step of an observed position.

The swing is the change in material after a shallow search that ends in quiescence. After a step all turns are searched
to a depth, then captures only. Where captures are optional, a player may also stop at the material on the board. Steps
that capture by flanking are not followed. The exported player carries the kernels.

Sources: Shannon 1950, Programming a computer for playing chess (evaluation of quiet positions only); Knuth and Moore
1975, An analysis of alpha-beta pruning.
"""

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import allocate, entry_kernel, inlined, kernel, popcount, release
from ..engine.kernel_types import Rows, Table, Words
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.outcomes import ONGOING

MAX_DEPTH = 4
"""The greatest depth in turns. One more turn takes about three times as long."""

# Values of pieces, and of a win.
MAN, KING, WIN = 1, 2, 100

# Codes of steps: ILLEGAL, or EVEN plus the material swing, which is clipped to -MOST and MOST. A win or loss counts as
# MOST.
ILLEGAL, EVEN, MOST = 0, 5, 4
# The two search features of each code: one grows with the swing, the other falls.
CODES = ((0.0, 0.0), *(((MOST + gain) / (2 * MOST), (MOST - gain) / (2 * MOST)) for gain in range(-MOST, MOST + 1)))

# A position on the path that is searched: its choices, the next one to try, the alpha-beta window, the best score so
# far, and the number of turns from it on that are searched in full.
COUNT, NEXT, ALPHA, BETA, BEST, TURNS, ENTRY_SIZE = 0, 1, 2, 3, 4, 5, 6
# Nodes after one step, doubled for each turn that is searched in full. Where captures are optional a search of all of
# them would take too long; positions left open count by their material.
MAX_NODES = 300


@entry_kernel
def code_steps(t: Table, observation: Words, count: int, turns: int, codes: Words) -> None:
    """Writes to `codes` a code for each action of `count` flat observations, row by row.

    After each step `turns` turns are searched in full.
    """
    levels = 2 * t[TABLE.POINTS] + 3 + turns
    states = allocate(levels, t[TABLE.STATE_SIZE])
    choices = allocate(levels, t[TABLE.NUM_ACTIONS])
    path = allocate(levels, ENTRY_SIZE)
    scratch = allocate(1, t[TABLE.SCRATCH_SIZE])
    w = scratch[0]
    size = t[TABLE.NUM_PLANES] * t[TABLE.POINTS]
    for row in range(count):
        place = row * t[TABLE.NUM_ACTIONS]
        rules.recall(t, observation, row * size, states[0])
        now = _material(t, states[0])
        n = rules.legal_actions(t, states[0], w, choices[0])
        for action in range(t[TABLE.NUM_ACTIONS]):
            codes[place + action] = ILLEGAL
        for index in range(n):
            action = choices[0][index]
            # Swings are clipped to this window, so the search need not tell those outside apart.
            path[0][ALPHA] = now - MOST
            path[0][BETA] = now + MOST
            path[0][TURNS] = turns + 1
            score = _score(t, states, choices, path, levels, w, action)
            codes[place + action] = EVEN + max(-MOST, min(score - now, MOST))
    release(states)
    release(choices)
    release(path)
    release(scratch)


@kernel
def _score(t: Table, states: Rows, choices: Rows, path: Rows, levels: int, w: Words, action: int) -> int:
    """The score of a step of the position at level 0, for the player to move there."""
    rules.copy_state(t, states[0], states[1])
    rules.apply_action(t, states[1], w, action)
    level = 1
    left = MAX_NODES << (path[0][TURNS] - 1)
    searched = _open(t, states, choices, path, w, level)
    while True:
        entry = path[level]
        has_more = searched and entry[NEXT] < entry[COUNT] and entry[ALPHA] < entry[BETA]
        if has_more and left > 0 and level + 1 < levels:
            rules.copy_state(t, states[level], states[level + 1])
            rules.apply_action(t, states[level + 1], w, choices[level][entry[NEXT]])
            entry[NEXT] += 1
            left -= 1
            level += 1
            searched = _open(t, states, choices, path, w, level)
            continue
        # No step was searched, for lack of nodes or levels: ends score -WIN or more.
        if entry[BEST] < -WIN:
            entry[BEST] = _material(t, states[level])
        turned = states[level][STATE.PLAYER] != states[level - 1][STATE.PLAYER]
        score = -entry[BEST] if turned else entry[BEST]
        level -= 1
        if level == 0:
            return score
        searched = True
        path[level][BEST] = max(path[level][BEST], score)
        path[level][ALPHA] = max(path[level][ALPHA], score)


@inlined
def _open(t: Table, states: Rows, choices: Rows, path: Rows, w: Words, level: int) -> bool:
    """Sets up a position; returns whether it must be searched. If not, its score is in BEST."""
    s = states[level]
    entry = path[level]
    parent = path[level - 1]
    turned = s[STATE.PLAYER] != states[level - 1][STATE.PLAYER]
    entry[ALPHA] = -parent[BETA] if turned else parent[ALPHA]
    entry[BETA] = -parent[ALPHA] if turned else parent[BETA]
    entry[TURNS] = max(0, parent[TURNS] - 1) if s[STATE.CHAIN] < 0 else parent[TURNS]
    n = rules.legal_actions(t, s, w, choices[level])
    result = rules.outcome(t, s, n, 0)
    if result != ONGOING:
        entry[BEST] = WIN * rules.reward_of(result, s[STATE.PLAYER])
        return False
    entry[NEXT] = 0
    entry[COUNT] = n
    entry[BEST] = -2 * WIN
    if s[STATE.CHAIN] < 0 and entry[TURNS] == 0:
        entry[COUNT] = count_leaps(t, s, choices[level], n)
        if entry[COUNT] == 0 or t[TABLE.CAPTURE_OPTIONAL]:
            entry[BEST] = _material(t, s)
            entry[ALPHA] = max(entry[ALPHA], entry[BEST])
    return entry[COUNT] > 0


@inlined
def count_leaps(t: Table, s: Table, choices: Words, n: int) -> int:
    """Number of captures among `n` legal actions, which begin with them.

    Removals do not count: the schedule grants them whatever is played, so they are no reason to search on.
    """
    first = rules.step_of(t, s[STATE.PLAYER], choices[0])
    if t[TABLE.STAGES] and n > 0 and t[first + TABLE.ORIGIN] == t[first + TABLE.TARGET]:
        return 0
    return rules.count_captures(t, s, choices, n)


@inlined
def _material(t: Table, s: Table) -> int:
    """Material of the player to move minus that of the opponent. Pieces in hand count as men."""
    player = s[STATE.PLAYER]
    men = popcount(s[STATE.MEN + player]) - popcount(s[STATE.MEN + 1 - player])
    if t[TABLE.STAGES]:
        men += s[t[TABLE.HAND] + player] - s[t[TABLE.HAND] + 1 - player]
    kings = popcount(s[STATE.KINGS + player]) - popcount(s[STATE.KINGS + 1 - player])
    return MAN * men + KING * kings


class SearchFeatures:
    """Material swings of all steps of observed positions of a game."""

    def __init__(self, game: Game) -> None:
        self._table, self._actions = game.table.words, game.num_actions
        self._shape = len(game.planes), len(game.board.points)

    def __call__(self, planes: np.ndarray, depth: int = 0) -> np.ndarray:
        """Codes of steps, in the frame of the player to move.

        Args:
          planes: int8 `[R, C, P]`, observations.
          depth: Turns that are searched in full after each step, before captures only; up to `MAX_DEPTH`.

        Returns:
          int8 `[R, A]`: `ILLEGAL`, or `EVEN` plus the material swing, between -`MOST` and `MOST`.

        Raises:
          AlquerqueError: If the planes are of another type, or of the shape of another game's.
        """
        flat = check_array("planes", planes, "int8", ("R", *self._shape)).reshape(-1)
        codes = np.zeros((len(planes), self._actions), np.int8)
        code_steps(self._table, flat, len(planes), depth, codes.reshape(-1))
        return codes
