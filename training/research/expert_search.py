"""Self-play that learns from an expert, alpha-beta, which gives the value of every action, instead of a tree search.

    PYTHONPATH=training/research alquerque train plain search.rule=expert_search:ExpertSearch search.patterns=true ...

The policy to learn is a softmax of the values, the value to learn the greatest of them, which is mixed with the result
of the match as `alphazero.search_value_share` says. Where `search.exact_values` is set, the expert knows the endgame
table of the game too.

Sources: Ross, Gordon and Bagnell 2011, arXiv:1011.0686 (DAgger); Anthony, Tian and Barber 2017, arXiv:1705.08439
(expert iteration).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

import numpy as np
from alquerque_training.config.settings import ConfigError, Section
from alquerque_training.experience.labels import SearchLabels
from alquerque_training.self_play.generator import SearchConfig, table_of
from annotated_types import Ge, Gt, Le

from alquerque_env.bots.analysis import MAX_DEPTH
from alquerque_env.bots.patterns.pattern_file import load_patterns
from alquerque_env.errors import BotError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.search import BatchSearch, Decisions, Evaluate, Rule
from alquerque_env.search.pattern_kernels import NO_PATTERNS


class ExpertConfig(SearchConfig):
    """Self-play with an expert, which takes no simulations.

    Attributes:
      depth: Turns that the expert looks ahead after each action.
      patterns: Whether it evaluates positions by the patterns of the game too, as the bot `patterns:DEPTH`.
      temperature: Of the policy to learn, a softmax of the values of the actions, which are in [-1, 1].
      learner_share: Share of the matches in which the network plays one seat, by its policy alone.
    """

    depth: Annotated[int, Ge(1), Le(MAX_DEPTH)] = 4
    patterns: bool = False
    temperature: Annotated[float, Gt(0), Le(10)] = 0.05
    learner_share: Annotated[float, Ge(0), Le(1)] = 0.5


class ExpertSearch:
    """Decides in at most `matches` matches of a game as an expert does; see `self_play.generator.Search`.

    In the first `learner_share` of the matches one seat is the network's, `player_0` and `player_1` in turn: there it
    plays its most probable action, while the expert says what is to be learned. So the network imitates the expert in
    the positions to which its own play against a bot that searches leads.

    Raises:
      ConfigError: If the settings ask for patterns or a table and the game has none.
    """

    sections: Mapping[str, type[Section]] = MappingProxyType({"search": ExpertConfig})

    def __init__(self, game: Game, matches: int, search: ExpertConfig) -> None:
        self._network = BatchSearch(game, matches, 0, Rule())
        table = table_of(game) if search.exact_values else None
        try:
            patterns = load_patterns(game) if search.patterns else NO_PATTERNS
        except BotError as error:
            raise ConfigError(f"search.patterns: {error}") from None
        self._expert = SearchLabels(game, search.depth, search.temperature, table, patterns)
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
        labels = self._expert.label(states, past)
        listed = np.arange(own.legal.shape[1]) < own.counts[:, None]
        policy = np.where(listed, np.take_along_axis(labels.policy, own.legal, 1), 0)
        is_own = self._learning[rows] & (states[:, STATE.PLAYER] == rows % 2)
        actions = np.where(is_own, own.actions, labels.best)
        return own._replace(actions=actions, policy=policy, values=labels.value)
