"""A bot of search features alone: what the networks are told, without anything learned."""

from collections.abc import Sequence

from ..engine.player_view import PlayerView
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..search import SearchFeatures
from .simple import UniformBot


class FeaturesBot(UniformBot):
    """Takes a step with the best material swing, see `alquerque_env.search.quiescence`; breaks ties at random.

    The search behind the swings looks `depth` turns ahead after the step, and then at captures only.
    """

    def __init__(self, name: str, game: Game, depth: int, seed: int | None) -> None:
        super().__init__(name, game, seed)
        self._view, self._features, self._depth = PlayerView(game), SearchFeatures(game), depth

    def _candidates(self, match: Match) -> Sequence[Step]:
        observation = self._view.observe(match.state, match.player, 0)
        swings = self._features(observation[None], self._depth)[0]
        best = max(swings[step.action] for step in match.legal_steps)
        return [step for step in match.legal_steps if swings[step.action] == best]
