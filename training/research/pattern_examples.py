"""Examples to learn from: quiet positions near the line of matches, with scores of deeper searches."""

from dataclasses import dataclass

import example_kernels as e
import numpy as np

from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import word_rows, words
from alquerque_env.search import alphabeta_kernels as k
from alquerque_env.search.alphabeta_batch import scores_to_values, search_arrays
from alquerque_env.search.pattern_kernels import NO_PATTERNS, PatternArrays
from alquerque_env.search.scores import SCALE
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.search_probe import Endgames

WORDS = STATE.PLAYER + 1
"""How many words of a state its patterns show: the pieces, and who is to move."""

_ENTRIES = 1 << 15  # of the transposition table
_MOST_STEPS = 400  # of a match
_RANDOM = 60  # steps of a thousand
_ROOM = 512  # examples of a match


@dataclass(frozen=True)
class Examples:
    """Examples.

    Attributes:
      states: int64 `[N, WORDS]`, the first words of quiet positions between turns.
      static: float32 `[N]`, their static evaluations for the player to move, in units of `SCALE`.
      targets: float32 `[N]`, the values to learn, from -1 to 1.
    """

    states: np.ndarray
    static: np.ndarray
    targets: np.ndarray

    @classmethod
    def joined(cls, parts: "list[Examples]") -> "Examples":
        """Several sets of examples as one."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__annotations__))

    def last(self, count: int) -> "Examples":
        """The last so many examples."""
        return Examples(*(values[len(values) - count :] for values in vars(self).values()))


_OWN_RESULT = 0.3
"""The share of the result of a match in the value of a position of its line."""


class ExampleMaker:
    """Plays matches with an evaluation and makes examples of their positions.

    Args:
      game: A game that has a `PatternSet`.
      play_depth, score_depth: How many turns the searches that play and that score look ahead.
      table: A table whose values the search that scores knows. The results of matches then count for nothing.
      first: The most random steps at the beginning of a match.
    """

    def __init__(
        self, game: Game, *, play_depth: int, score_depth: int, table: EndgameTable | None = None, first: int = 10
    ) -> None:
        t = self._table = game.table.words
        self._arrays = search_arrays(game, score_depth, _ENTRIES)
        self._arrays = self._arrays._replace(keys=words(t, _MOST_STEPS + len(self._arrays.states)))
        endgames = Endgames(table)
        self._scoring = {"table_index": endgames.index, "codes": endgames.codes}
        self._own_result = _OWN_RESULT if table is None else 0.0
        self._spare = words(t, t[TABLE.STATE_SIZE])
        self._found = word_rows(t, _ROOM, e.STATE_AT + t[TABLE.STATE_SIZE])
        self._plan = words(t, e.PLAN_SIZE)
        self._plan[:] = [play_depth, score_depth, first, _RANDOM, _MOST_STEPS]

    def play(self, seed: int, patterns: PatternArrays = NO_PATTERNS) -> Examples:
        """Plays a match; its examples depend on the seed and the patterns alone."""
        self._arrays.control[k.GENERATION] = 0
        t = self._table
        memory, history = words(t, 2 * _ENTRIES), words(t, 2 * t[TABLE.NUM_ACTIONS])
        arrays = self._arrays._replace(table=memory, history=history, **patterns._asdict())
        rng = words(t, 1)
        rng[0] = seed
        scoring = arrays._replace(**self._scoring)
        count = e.play_match(t, arrays, scoring, self._plan, rng, self._spare, self._found, len(self._found))
        found = np.array(self._found[:count], np.int64).reshape(count, len(self._found[0]))
        scores, results = found[:, e.SCORE], found[:, e.RESULT]
        values = scores_to_values(scores)
        mixed = (1 - self._own_result) * values + self._own_result * results
        targets = np.where(results == e.UNPLAYED, values, mixed)
        static = found[:, e.STATIC] / SCALE
        return Examples(
            found[:, e.STATE_AT : e.STATE_AT + WORDS].copy(), static.astype(np.float32), targets.astype(np.float32)
        )
