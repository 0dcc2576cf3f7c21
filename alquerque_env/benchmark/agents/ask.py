"""How an agent is asked for steps, and what it can do wrong."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple
from typing import Protocol as Interface

from ...bots import GameBot
from ...bots.analysis import NO_LIMITS
from ...errors import BotError
from ...game.step import Step
from ...match.match import Match

ILLEGAL, CRASH, OVER_TIME = "illegal", "crash", "over_time"
FAULTS = (ILLEGAL, CRASH, OVER_TIME)
"""What an agent can do wrong: answer what is no legal action, fail to answer, or take too long."""


class AgentError(BotError):
    """What an agent did wrong.

    Args:
      kind: One of `FAULTS`.
      what: The rest of a sentence that begins with the agent's name.
      has_ended: Whether its process has ended and is to be started again.

    Attributes:
      is_costly: Whether it cost more time than an agent is to be waited for again and again.
    """

    def __init__(self, kind: str, what: str, *, has_ended: bool = False) -> None:
        super().__init__(what)
        self.kind = kind
        self.is_costly = kind == OVER_TIME or has_ended


class Answer(NamedTuple):
    """What an agent chose.

    Attributes:
      step: The step; not yet known to be legal.
      seconds: What it took the agent.
    """

    step: Step
    seconds: float


class Thinker(Interface):
    """An agent that plays one game. Whatever it raises is its own fault.

    What has just been loaded may have to compile something, so its first question is asked twice, and its first answer
    does not count.
    """

    def ask(self, match: Match) -> Answer:
        """A step for a match with a choice."""

    def ask_many(self, matches: Sequence[Match], /) -> list[Answer] | None:
        """A step for each of several matches; None where it does not think about several at once."""

    def value(self, match: Match) -> float | None:
        """The result that it expects, in [-1, 1] for the player to move; None where it does not say."""


class BotThinker:
    """A bot of this package, or anything like it, in this process."""

    def __init__(self, bot: GameBot) -> None:
        self._bot = bot
        self._is_fresh = True

    def ask(self, match: Match) -> Answer:
        """A step for a match with a choice."""
        if self._is_fresh:
            self._is_fresh = False
            with suppress(Exception):
                self._bot.choose(match)
        begun = time.perf_counter()
        step = self._bot.choose(match)
        return Answer(step, time.perf_counter() - begun)

    def ask_many(self, matches: Sequence[Match]) -> list[Answer]:
        """A step for each of several matches; bots that think about many at once do."""
        begun = time.perf_counter()
        steps = self._bot.choose_many(matches)
        seconds = (time.perf_counter() - begun) / len(matches)
        return [Answer(step, seconds) for step in steps]

    def value(self, match: Match) -> float | None:
        """The result that it expects, in [-1, 1] for the player to move; None where it does not say."""
        if not self._bot.can_analyse:
            return None
        try:
            return self._bot.analyse(match, NO_LIMITS).value
        except BotError:
            return None  # an engine need not say what it expects
