"""Self-play labelled by an expert: alpha-beta gives the value of every action, and the network plays some of the seats.

The network imitates the expert in the positions to which its own play leads, against an opponent that searches.

Sources: Ross, Gordon and Bagnell 2011, arXiv:1011.0686 (DAgger); Anthony, Tian and Barber 2017, arXiv:1705.08439
(expert iteration).
"""

import numpy as np

from alquerque_env.errors import TableError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.search import BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.alphabeta_batch import BatchAlphaBeta, scores_to_values
from alquerque_env.solve.tables.whole import large_table
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import SearchConfig


class ExpertSearch:
    """Decides in at most `matches` matches of a game by alpha-beta; an interface like that of `BatchSearch`.

    In the first `learner_share` of the matches one seat is the network's, `player_0` and `player_1` in turn: there it
    plays its most probable action, while the policy and the value to learn are those of the expert all the same.

    Args:
      game: The game.
      matches: The most matches.
      search: The settings.
      exact_values: Whether the expert looks up the endgame table of the game; `ConfigError` without one.

    Attributes:
      roots: int8 `[B, C, P]`, observations of the positions of the last search.
    """

    def __init__(self, game: Game, matches: int, search: SearchConfig, *, exact_values: bool) -> None:
        try:
            table = large_table(game) if exact_values else None
        except TableError as error:
            raise ConfigError(f"self_play.exact_values needs an endgame table: {error}") from None
        self._expert = BatchAlphaBeta(game, search.depth, table)
        self._network = BatchSearch(game, matches, 0, Rule())
        self._temperature = search.temperature
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
        """As `BatchSearch.run`; the policy is a softmax of the values."""
        own = self._network.run(states, past, evaluate, 0)
        self.roots = self._network.roots
        rows = np.arange(len(own.counts))
        listed = np.arange(own.legal.shape[1]) < own.counts[:, None]
        scores = np.take_along_axis(self._expert.run(states, past), own.legal, 1)
        values = np.where(listed, scores_to_values(scores), -np.inf)
        best = values.max(1)
        weights = np.exp((values - best[:, None]) / self._temperature)
        # Among equal values the quickest win and the slowest loss.
        chosen = own.legal[rows, np.where(listed, scores, scores.min() - 1).argmax(1)]
        learns = self._learning[rows] & (np.asarray(states)[:, STATE.PLAYER] == rows % 2)
        actions = np.where(learns, own.actions, chosen)
        return own._replace(actions=actions, policy=weights / weights.sum(1, keepdims=True), values=best)
