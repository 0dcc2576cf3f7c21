"""What a bot is, and what all bots of this package share."""

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from ..errors import BotError
from ..game import Game
from ..match import Match, Step


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
    """

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

    def _decide(self, match: Match) -> Step:
        """One of several legal steps."""
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


class Deadline:
    """The end of the time for one step.

    Args:
      seconds: Time from now, None for as long as it takes.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end


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
