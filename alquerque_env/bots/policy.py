"""Bots that are functions from an observation and an action mask to an action."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.observation_form import observation_form
from ..errors import BotError
from ..game.array_check import as_integer
from ..game.game import Game, GameId, as_game
from ..game.step import Step
from ..match.match import Match
from .bot import GameBot

Policy = Callable[[np.ndarray, np.ndarray], Any]
"""Maps an observation and an action mask, int8 `[A]`, to a legal action."""


class PolicyBot(GameBot):
    """A bot that a function plays: the agent of another library, for example.

    Example:
      >>> from alquerque_env import Match
      >>> bot = PolicyBot("fetaix", lambda observation, action_mask: action_mask.argmax())
      >>> str(bot.choose(Match("fetaix")))
      'b2-c3'

    Args:
      game: The game, its id, or the path of a game file.
      policy: Maps what the environments show, an observation and an action mask, to an action. It is asked only where
        there are several legal actions.
      observation: "planes", "grid", "flat" or "graph": the form of observations, see `ObservationForm` and `GraphForm`.
      max_points: Points of a graph; None for as many as the game has.
      max_links: Links of a graph, likewise.
      batched: Whether the policy maps `K` observations and masks `[K, A]` to `K` actions instead. It is then asked for
        many matches at once where that is possible.
      name: A name for results; that of the policy if None.

    Raises:
      UnknownNameError: If there is no such game or form.
      BotError: If the policy cannot be called.
    """

    def __init__(
        self,
        game: Game | GameId,
        policy: Policy,
        *,
        observation: str = "planes",
        max_points: int | None = None,
        max_links: int | None = None,
        batched: bool = False,
        name: str | None = None,
    ) -> None:
        if not callable(policy):
            raise BotError(f"policy is {policy!r}, expected a function from observation and action mask to action")
        own_name: str = getattr(policy, "__name__", type(policy).__name__)
        super().__init__(name or own_name, as_game(game), None)
        self._policy = policy
        self._form = observation_form(self.game, observation, max_points, max_links)
        self._is_batched = batched

    has_memory = False

    def choose_many(self, matches: Iterable[Match]) -> list[Step]:
        """Returns a step for each of several matches.

        Raises:
          BotError: If a match is over or of another game, or the policy does not answer with legal actions.
        """
        matches = self._check_all(matches)
        asked = [match for match in matches if len(match.legal_steps) > 1]
        steps = iter(self._ask(asked) if asked else ())
        return [match.legal_steps[0] if len(match.legal_steps) == 1 else next(steps) for match in matches]

    def _decide(self, match: Match) -> Step:
        return self._ask([match])[0]

    def _ask(self, matches: Sequence[Match]) -> list[Step]:
        planes = [match.observation() for match in matches]
        masks = [self._form.mask(match.action_mask()) for match in matches]
        if self._is_batched:
            answers = self._policy(self._form(np.stack(planes)), np.stack(masks))
            if np.shape(answers)[:1] != (len(matches),):
                raise BotError(f"{self.name} answered with shape {np.shape(answers)} in {len(matches)} positions")
        else:
            answers = [self._policy(self._form(one), mask) for one, mask in zip(planes, masks, strict=True)]
        return [self._find(match, answer) for match, answer in zip(matches, answers, strict=True)]

    def _find(self, match: Match, answer: Any) -> Step:
        """Returns the legal step that an answer means: an integer, or an array of one."""
        try:
            number = as_integer(np.asarray(answer).item())
        except (TypeError, ValueError):
            raise BotError(f"{self.name} answered {answer!r}, expected the number of an action") from None
        action = self._form.to_game(number)
        for step in match.legal_steps:
            if step.action == action:
                return step
        raise BotError(f"{self.name} answered {number}, which is not legal in {match.position!r}")
