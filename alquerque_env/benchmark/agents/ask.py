"""How the benchmark asks an agent for steps, and the faults that an agent can have."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol as Interface

from ...bots import GameBot
from ...errors import BotError
from ...game.step import Step
from ...match.match import Match

ILLEGAL, CRASH, OVER_TIME = "illegal", "crash", "over_time"
FAULTS = (ILLEGAL, CRASH, OVER_TIME)
"""An answer that is not a legal action, no answer because of an error, and an answer that takes too long."""


class AgentError(BotError):
    """A fault of an agent, one of `FAULTS`; `what` ends a sentence that begins with the agent's name.

    If `is_costly`, it took much time, as when the process ended: an agent with several of them in a row is not asked
    again.
    """

    def __init__(self, kind: str, what: str, *, has_ended: bool = False) -> None:
        super().__init__(what)
        self.kind = kind
        self.is_costly = kind == OVER_TIME or has_ended


class Answer(NamedTuple):
    """The step that an agent chose, not yet checked, and the seconds that it took."""

    step: Step
    seconds: float


class Player(Interface):
    """An agent that plays one game. Every exception is a fault of the agent.

    A new agent may have to compile code, so it is asked its first question twice and the first answer does not count.
    """

    def ask(self, match: Match) -> Answer:
        """Chooses a step in a match with several legal steps."""

    def ask_many(self, matches: Sequence[Match], /) -> list[Answer] | None:
        """Chooses a step in each match; None if the agent takes one match at a time."""


class BotPlayer:
    """A bot of this package, in this process."""

    def __init__(self, bot: GameBot) -> None:
        self._bot = bot
        self._is_new = True

    def ask(self, match: Match) -> Answer:
        """Chooses a step in a match with several legal steps."""
        if self._is_new:
            self._is_new = False
            with suppress(Exception):
                self._bot.choose(match)
        begun = time.perf_counter()
        step = self._bot.choose(match)
        return Answer(step, time.perf_counter() - begun)

    def ask_many(self, matches: Sequence[Match]) -> list[Answer]:
        """Chooses a step in each match, at once if the bot can."""
        begun = time.perf_counter()
        steps = self._bot.choose_many(matches)
        seconds = (time.perf_counter() - begun) / len(matches)
        return [Answer(step, seconds) for step in steps]
