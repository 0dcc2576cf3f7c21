"""What a bot is, and what all bots of this package share."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..errors import BotError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .analysis import NO_LIMITS, Limits, Report, Thought


class Bot(Protocol):
    """Chooses steps."""

    @property
    def name(self) -> str:
        """What people call it: its spec."""

    def choose(self, match: Match) -> Step:
        """One of `match.legal_steps`; the match is left as it was.

        Raises:
          BotError: If the match is over, or of another game.
        """


class GameBot:
    """A bot for one game: refuses matches that it cannot play, and plays forced steps without a thought.

    Args:
      name: Its spec.
      game: The game that it plays.
      seed: Makes its choices repeatable; None for another course each time.

    Attributes:
      can_think: Whether it evaluates positions, so that `think` can say how.
    """

    can_think = False

    def __init__(self, name: str, game: Game, seed: int | None) -> None:
        self.name = name
        self.game = game
        self._known_game = game
        self._generator = np.random.default_rng(seed)

    def choose(self, match: Match) -> Step:
        """One of `match.legal_steps`; the match is left as it was.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        steps = match.legal_steps
        return steps[0] if len(steps) == 1 else self._decide(match)

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """A step for each of several matches; bots that think about many at once override it.

        Raises:
          BotError: As `choose`.
        """
        return [self.choose(match) for match in matches]

    def think(
        self, match: Match, limits: Limits = NO_LIMITS, *, every: bool = False, report: Report | None = None
    ) -> Thought:
        """What it thinks of a position; the match is left as it was. One call at a time.

        Args:
          match: A match that is not over.
          limits: What it may spend instead of what it spends on a choice.
          every: Whether to say of every legal step what it is worth, and not only of what it would play.
          report: Is told now and then what it thinks so far.

        Raises:
          BotError: If it does not evaluate positions, if the match is over, or of another game.
        """
        if not self.can_think:
            raise BotError(f"{self.name} does not evaluate positions; choose a bot that searches, such as alphabeta:5")
        self._check(match)
        return self._think(match, limits, every, report)

    def _decide(self, match: Match) -> Step:
        """One of several legal steps."""
        raise NotImplementedError

    def _think(self, match: Match, limits: Limits, every: bool, report: Report | None) -> Thought:
        """As `think`, for a match that it can play."""
        raise NotImplementedError

    def _pick(self, steps: list[Step]) -> Step:
        """One of them at random."""
        return steps[int(self._generator.integers(len(steps)))]

    def _check(self, match: Match) -> None:
        if match.outcome is not None:
            raise BotError(f"{self.name} cannot choose: the match is over ({match.outcome.reason})")
        if match.game is not self._known_game:
            if match.game.table_hash != self.game.table_hash:
                raise BotError(f"{self.name} plays {self.game!r}, not {match.game!r}")
            self._known_game = match.game


def state_key(match: Match) -> tuple[int, ...]:
    """The state of a match as a key for dictionaries."""
    return tuple(int(word) for word in match.state)


def step_of(match: Match, action: int) -> Step:
    """The legal step with an action."""
    return next(step for step in match.legal_steps if step.action == action)


def rest_of_turn(match: Match, actions: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """What a line plays in the states in the middle of its first turn, by their keys."""
    plan = {}
    ahead = match.copy()
    for action, following in pairwise(actions):
        ahead.push(action)
        if ahead.chain is None:
            break
        plan[state_key(ahead)] = following
    return plan
