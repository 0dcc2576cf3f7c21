"""Self-play that learns from the value of every action, instead of a tree search.

The policy to learn is a softmax of the values, the value to learn the greatest of them. `ExpertSearch` takes the values
from alpha-beta, and `OnePlySearch` from the network itself, one ply ahead.
"""

from abc import ABC, abstractmethod

import numpy as np

from alquerque_env.batch.make_batch import make_batch
from alquerque_env.batch.step_result import HOLD, PLAY
from alquerque_env.bots.patterns.pattern_file import load_patterns
from alquerque_env.errors import BotError, TableError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.outcomes import NOBODY, ONGOING
from alquerque_env.search import BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.alphabeta_batch import BatchAlphaBeta, scores_to_values
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


class ActionValueSearch(ABC):
    """Decides in at most `matches` matches of a game by the values of actions; the interface is that of `BatchSearch`.

    Attributes:
      roots: int8 `[B, C, P]`, observations of the positions of the last search.
    """

    def __init__(self, game: Game, matches: int, search: SearchConfig) -> None:
        self.game = game
        self._network = BatchSearch(game, matches, 0, Rule())
        self._temperature = search.temperature
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
        listed = np.arange(own.legal.shape[1]) < own.counts[:, None]
        states = np.asarray(states)
        values = np.where(listed, self._find_values(states, past, evaluate, own.legal, listed), -np.inf)
        best = values.max(1)
        weights = np.exp((np.clip(values, -1, 1) - np.clip(best, -1, 1)[:, None]) / self._temperature) * listed
        chosen = own.legal[np.arange(len(best)), values.argmax(1)]
        return own._replace(
            actions=self._choose(states, own.actions, chosen),
            policy=weights / weights.sum(1, keepdims=True),
            values=np.clip(best, -1, 1),
        )

    @abstractmethod
    def _find_values(
        self, states: np.ndarray, past: np.ndarray, evaluate: Evaluate, legal: np.ndarray, listed: np.ndarray
    ) -> np.ndarray:
        """The values of actions `[B, K]`, for the player to move, where they are `listed`.

        Where several win or all lose, values beyond -1 and 1 may say which do so first; they count as -1 and 1.
        """

    def _choose(self, _states: np.ndarray, _own: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The actions to play, from those that are most probable by the network and those of the greatest values."""
        return best


class ExpertSearch(ActionValueSearch):
    """Alpha-beta gives the values, and the network plays some of the seats.

    In the first `learner_share` of the matches one seat is the network's, `player_0` and `player_1` in turn: there it
    plays its most probable action, while the expert says what is to be learned. So the network imitates the expert in
    the positions to which its own play against a bot that searches leads.

    Sources: Ross, Gordon and Bagnell 2011, arXiv:1011.0686 (DAgger); Anthony, Tian and Barber 2017, arXiv:1705.08439
    (expert iteration).

    Args:
      game, matches: The game, and the most matches.
      search: The settings; `ConfigError` if they ask for patterns and the game has none.
      exact_values: Whether the expert looks up the endgame table of the game; `ConfigError` without one.
    """

    def __init__(self, game: Game, matches: int, search: SearchConfig, *, exact_values: bool) -> None:
        super().__init__(game, matches, search)
        table = table_of(game) if exact_values else None
        patterns = patterns_of(game) if search.patterns else NO_PATTERNS
        self._expert = BatchAlphaBeta(game, search.depth, table, patterns)
        self._learning = np.arange(matches) < round(search.learner_share * matches)

    def _find_values(
        self, states: np.ndarray, past: np.ndarray, _evaluate: Evaluate, legal: np.ndarray, _listed: np.ndarray
    ) -> np.ndarray:
        scores = np.take_along_axis(self._expert.run(states, past), legal, 1)
        values = scores_to_values(scores)
        is_sure = np.abs(values) == 1
        # A sooner win has a greater score, and so has a later loss.
        return np.where(is_sure, values + scores / np.abs(scores).max(initial=1), values)

    def _choose(self, states: np.ndarray, own: np.ndarray, best: np.ndarray) -> np.ndarray:
        rows = np.arange(len(own))
        return np.where(self._learning[rows] & (states[:, STATE.PLAYER] == rows % 2), own, best)


class OnePlySearch(ActionValueSearch):
    """The network gives the value of the position after each action and the steps without a choice that follow it.

    So it learns by value iteration: a position is worth the best of what the network says of the next ones.
    """

    def _find_values(
        self, states: np.ndarray, _past: np.ndarray, evaluate: Evaluate, legal: np.ndarray, listed: np.ndarray
    ) -> np.ndarray:
        rows, _ = np.nonzero(listed)
        movers = states[rows, STATE.PLAYER]
        batch = make_batch(self.game, len(rows))
        batch.set(states[rows])
        commands = np.full(len(rows), PLAY, np.int8)
        after = batch.step(legal[listed], commands)
        while True:
            is_forced = (after.outcome == ONGOING) & (after.mask.sum(1, dtype=np.int64) == 1)
            if not is_forced.any():
                break
            commands[:] = np.where(is_forced, PLAY, HOLD)
            after = batch.step(after.mask.argmax(1), commands)
        goes_on = after.outcome == ONGOING
        values = np.where(after.winner == NOBODY, 0.0, np.where(after.winner == movers, 1.0, -1.0))
        if goes_on.any():
            _, found = evaluate(after.observation[goes_on])
            values[goes_on] = np.where(after.player[goes_on] == movers[goes_on], found, -found)
        result = np.zeros(listed.shape)
        result[listed] = values
        return result
