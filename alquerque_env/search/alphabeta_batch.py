"""Alpha-beta values of every action in many positions at once: labels to learn from, and to judge players by."""

from typing import Any

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel, kernel
from ..engine.kernel_types import Rows, Table, Words
from ..errors import AlquerqueError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.kernel_arrays import JIT, word_rows, words
from ..match.chain_check import check_states
from ..solve.tables import EndgameTable
from ..solve.tables.search_probe import Endgames
from . import alphabeta_kernels as k
from .pattern_kernels import NO_PATTERNS, PatternArrays
from .scores import INFINITE, SCALE, SURE
from .static_evaluation import evaluation_features

ILLEGAL = -INFINITE
"""The score of an action that is not legal."""

ENTRIES = 1 << 18 if JIT else 1 << 12  # entries of the transposition table
MOST_NODES = 1 << 18
"""Nodes of a position, all depths together, after which the depth that was finished last counts, by default."""


class BatchAlphaBeta:
    """Searches whole turns to a depth after each legal action, with full windows, so that all scores are exact.

    Where a position takes more than `most_nodes` nodes, the scores are those of the greatest depth that was finished.

    Args:
      game: The game; its evaluation is that of `AlphaBetaBot`, in full where the sides differ.
      depth: Turns to look ahead, that of the action included, at least 1.
      table: An endgame table whose values are exact, or None.
      patterns: As in `AlphaBetaBot`.
      most_nodes: Nodes of a position, all depths together.

    Raises:
      RulesError: If the board has too many points.
    """

    def __init__(
        self,
        game: Game,
        depth: int,
        table: EndgameTable | None = None,
        patterns: PatternArrays = NO_PATTERNS,
        *,
        most_nodes: int = MOST_NODES,
    ) -> None:
        game.check_fits("a search in many positions")
        self.game, self.depth, self._most = game, depth, most_nodes
        t = self._t = game.table.words
        self._arrays = search_arrays(game, depth, ENTRIES, table)._replace(**patterns._asdict())
        self._actions = words(t, 2 * t[TABLE.NUM_ACTIONS])

    def run(self, states: Any, past: Any) -> np.ndarray:
        """The score of every action.

        Args:
          states: Integers `[N, S]`, states that are not over.
          past: Integers `[N, K]`, hashes of the positions since the last progress; read only if the game has a
            repetition rule.

        Returns:
          int64 `[N, A]`, in hundredths of a man for the player to move, as in `scores`; `ILLEGAL` for other actions.

        Raises:
          AlquerqueError: If an array has another type or shape.
        """
        known: Any = check_states(self.game, states, AlquerqueError)
        keys: Any = check_array("past", past, "int64", (len(known), "K"))
        room, count = keys.shape[1] + len(self._arrays.states) + 1, len(known)
        arrays = self._arrays._replace(keys=words(self._t, room))
        scores = word_rows(self._t, count, self._t[TABLE.NUM_ACTIONS])
        score_all(self._t, arrays, known, keys, count, self._actions, self.depth, self._most, scores)
        return np.asarray(scores)


def search_arrays(game: Game, depth: int, entries: int, table: EndgameTable | None = None) -> k.Search:
    """The arrays of a search of so many turns, with a transposition table of so many entries and without patterns.

    There is no room for `keys`, which depends on the length of the history.
    """
    t = game.table.words
    levels = depth + 2 * t[TABLE.POINTS] + t[TABLE.STAGES] + 2
    endgames = Endgames(table)
    control = words(t, k.CONTROL_SIZE)
    control[k.MASK] = entries - 1
    return k.Search(
        states=word_rows(t, levels, t[TABLE.STATE_SIZE]),
        choices=word_rows(t, levels, t[TABLE.NUM_ACTIONS]),
        frames=word_rows(t, levels, k.LINE + levels),
        scratch=words(t, t[TABLE.SCRATCH_SIZE]),
        keys=words(t, 1),
        table_index=endgames.index,
        codes=endgames.codes,
        table=words(t, 2 * entries),
        history=words(t, 2 * t[TABLE.NUM_ACTIONS]),
        features=evaluation_features(game),
        **NO_PATTERNS._asdict(),
        control=control,
    )


def scores_to_values(scores: np.ndarray) -> np.ndarray:
    """Maps scores to float64 values in [-1, 1] as `scores.score_to_value` does."""
    return np.where(np.abs(scores) > SURE, np.sign(scores), np.tanh(scores / SCALE))


@entry_kernel
def score_all(
    t: Table, a: k.Search, states: Rows, past: Rows, count: int, actions: Words, depth: int, most: int, scores: Rows
) -> None:
    """Writes the scores of `count` positions, see `BatchAlphaBeta.run`."""
    for row in range(count):
        _score(t, a, states[row], past[row], actions, depth, most, scores[row])


@kernel
def _score(t: Table, a: k.Search, s: Table, past: Words, actions: Words, depth: int, most: int, scores: Words) -> None:
    """Writes the scores of the actions of a position."""
    control = a.control
    rules.copy_state(t, s, a.states[0])
    control[k.NODES] = 0
    control[k.GENERATION] = (control[k.GENERATION] + 1) % (1 << k.GENERATION_BITS)
    control[k.CLOCK] = s[STATE.QUIET] if s[STATE.CHAIN] < 0 else 0
    for place in range(2 * t[TABLE.NUM_ACTIONS]):
        a.history[place] = 0
    a.frames[0][k.ONCE] = 0
    a.frames[0][k.TWICE] = 0
    if t[TABLE.THREEFOLD] and s[STATE.CHAIN] < 0:
        for place in range(s[STATE.QUIET] + 1):
            a.keys[place] = past[place]
        k.sum_repetitions(past, s[STATE.QUIET], a.frames[0])
    for action in range(t[TABLE.NUM_ACTIONS]):
        scores[action] = ILLEGAL
    n = rules.legal_actions(t, s, a.scratch, actions)
    for turns in range(1, depth + 1):
        for index in range(n):
            a.choices[0][0] = actions[index]
            k.begin(a, 1, turns)
            if not k.search(t, a, most - control[k.NODES]) and turns > 1:
                return
            # Kept apart until all actions have been searched to this depth. What is not known at all counts as even.
            actions[n + index] = max(a.frames[0][k.BEST], 0) if a.control[k.LEVEL] else a.frames[0][k.BEST]
        for index in range(n):
            scores[actions[index]] = actions[n + index]
