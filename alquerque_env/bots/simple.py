"""Bots that choose at random among steps of one kind: all, those that capture most, those with the best swing."""

from collections.abc import Sequence

import numpy as np

from ..engine import entry_points
from ..engine.player_view import PlayerView
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import copied, words
from ..game.step import Step
from ..match.match import Match
from ..search import SearchFeatures
from .bot import GameBot


class UniformBot(GameBot):
    """Plays one of some steps, each with the same probability."""

    sees_clock = False

    def policy(self, match: Match) -> np.ndarray:
        """See `GameBot.policy`."""
        self._check(match)
        found = np.zeros(self.game.num_actions)
        actions = [step.action for step in self._candidates(match)]
        found[actions] = 1 / len(actions)
        return found

    def _decide(self, match: Match) -> Step:
        return self._pick(self._candidates(match))

    def _candidates(self, match: Match) -> Sequence[Step]:
        raise NotImplementedError


class RandomBot(UniformBot):
    """Plays legal steps uniformly at random."""

    def _candidates(self, match: Match) -> Sequence[Step]:
        return match.legal_steps


MOST_POSITIONS = 10_000
"""Positions in the middle of chains that a greedy bot looks at for a step.

Only where leaps bend on a large board can there be more. The longest chain of all may then be missed.
"""


class GreedyBot(UniformBot):
    """Captures as many pieces as possible in its turn, as far as it can follow all chains; breaks ties at random."""

    def __init__(self, name: str, game: Game, seed: int | None) -> None:
        super().__init__(name, game, seed)
        t = game.table.words
        self._scratch = words(t, t[TABLE.SCRATCH_SIZE])
        self._actions = words(t, t[TABLE.NUM_ACTIONS])

    def _candidates(self, match: Match) -> Sequence[Step]:
        if self.game.rules.max_capture == "most_pieces":
            return match.legal_steps  # the legal ones capture equally many already
        if not any(step.captured for step in match.legal_steps):
            return match.legal_steps  # a chain begins with a capture
        captured: list[int] = []
        left = MOST_POSITIONS
        for place, step in enumerate(match.legal_steps):
            most, looked_at = self._most_captured(match, step, left // (len(match.legal_steps) - place))
            captured.append(most)
            left -= looked_at
        most = max(captured)
        return [step for step, count in zip(match.legal_steps, captured, strict=True) if count == most]

    def _most_captured(self, match: Match, step: Step, positions: int) -> tuple[int, int]:
        """Returns the most pieces that a turn beginning with this step can capture, and the positions looked at."""
        t = self.game.table.words
        most = 0
        seen: set[tuple[int, ...]] = set()
        to_do = [(copied(t, match.state), step.action, len(step.captured))]
        while to_do and len(seen) < positions:
            state, action, count = to_do.pop()
            entry_points.apply_action(t, state, self._scratch, action)
            most = max(most, count)
            if state[STATE.CHAIN] < 0:
                continue
            # Chains that lead to the same position have captured equally many pieces.
            key = tuple(map(int, state))
            if key in seen:
                continue
            seen.add(key)
            legal = entry_points.legal_actions(t, state, self._scratch, self._actions)
            to_do += [
                (state.copy(), int(following), count + 1)
                for following in self._actions[:legal]
                if following != t[TABLE.PASS_ACTION]
            ]
        return most, len(seen)


class FeaturesBot(UniformBot):
    """Plays by search features alone: a step with the best material swing, see `alquerque_env.search.quiescence`.

    The search behind the swings looks `depth` turns ahead after the step, and then at captures only.
    """

    def __init__(self, name: str, game: Game, depth: int, seed: int | None) -> None:
        super().__init__(name, game, seed)
        self._view, self._features, self._depth = PlayerView(game), SearchFeatures(game), depth

    def _candidates(self, match: Match) -> Sequence[Step]:
        swings = self._features(self._view.observe(match.state, match.player, 0)[None], self._depth)[0]
        best = max(swings[step.action] for step in match.legal_steps)
        return [step for step in match.legal_steps if swings[step.action] == best]
