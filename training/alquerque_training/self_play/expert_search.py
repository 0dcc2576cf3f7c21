"""Self-play that learns from an expert, alpha-beta, which gives the value of every action, instead of a tree search.

The policy to learn is a softmax of the values, the value to learn the greatest of them.
"""

import numpy as np

from alquerque_env.bots.patterns.pattern_file import load_patterns
from alquerque_env.errors import BotError, TableError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.search import BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.alphabeta_batch import ILLEGAL, BatchAlphaBeta, scores_to_values
from alquerque_env.search.pattern_kernels import NO_PATTERNS, PatternArrays
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.whole import large_table
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import SearchConfig


def table_of(game: Game) -> EndgameTable:
    """The endgame table of a game; `ConfigError` without one."""
    try:
        return large_table(game)
    except TableError as error:
        raise ConfigError(f"self_play.exact_values needs an endgame table: {error}") from None


def patterns_of(game: Game) -> PatternArrays:
    """The patterns of a game; `ConfigError` without any."""
    try:
        return load_patterns(game)
    except BotError as error:
        raise ConfigError(f"search.patterns: {error}") from None


class ExpertSearch:
    """Decides in at most `matches` matches of a game as an expert does; the interface is that of `BatchSearch`.

    In the first `learner_share` of the matches one seat is the network's, `player_0` and `player_1` in turn: there it
    plays its most probable action, while the expert says what is to be learned. So the network imitates the expert in
    the positions to which its own play against a bot that searches leads.

    Sources: Ross, Gordon and Bagnell 2011, arXiv:1011.0686 (DAgger); Anthony, Tian and Barber 2017, arXiv:1705.08439
    (expert iteration).

    Args:
      game, matches: The game, and the most matches.
      search: The settings; `ConfigError` if they ask for patterns and the game has none.
      exact_values: Whether the expert looks up the endgame table of the game; `ConfigError` without one.

    Attributes:
      roots: int8 `[B, C, P]`, observations of the positions of the last search.
    """

    def __init__(self, game: Game, matches: int, search: SearchConfig, *, exact_values: bool) -> None:
        self._network = BatchSearch(game, matches, 0, Rule())
        self._temperature = search.temperature
        table = table_of(game) if exact_values else None
        patterns = patterns_of(game) if search.patterns else NO_PATTERNS
        self._expert = BatchAlphaBeta(game, search.depth, table, patterns)
        self._learning = np.arange(matches) < round(search.learner_share * matches)
        self.roots = self._network.roots

    def run(
        self,
        states: np.ndarray,
        past: np.ndarray,
        evaluate: Evaluate,
        _simulations: int,
        _generator: np.random.Generator | None = None,
    ) -> Decisions:
        """As `BatchSearch.run`."""
        own = self._network.run(states, past, evaluate, 0)
        self.roots = self._network.roots
        states, rows = np.asarray(states), np.arange(len(own.actions))
        listed = np.arange(own.legal.shape[1]) < own.counts[:, None]
        scores = np.where(listed, np.take_along_axis(self._expert.run(states, past), own.legal, 1), ILLEGAL)
        values = np.where(listed, scores_to_values(scores), -np.inf)
        best = values.max(1)
        weights = np.exp((values - best[:, None]) / self._temperature)
        # Of equal values, a sooner win has the greater score, and so has a later loss.
        chosen = own.legal[rows, scores.argmax(1)]
        is_own = self._learning[rows] & (states[:, STATE.PLAYER] == rows % 2)
        return own._replace(
            actions=np.where(is_own, own.actions, chosen), policy=weights / weights.sum(1, keepdims=True), values=best
        )
