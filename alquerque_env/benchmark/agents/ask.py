"""How the benchmark asks an agent for steps, checks its answers and counts its faults, which do not stop it."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol as Interface

from ...bots import GameBot
from ...errors import BenchmarkError, BotError, EndedBotError, IllegalTurnError, LateBotError
from ...game.step import Step
from ...match.match import Match
from ..protocol import Limits

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


class CheckedPlayer:
    """An agent whose answers are checked and whose faults are counted by kind. It is also a bot for the arena.

    The arena asks again, one match at a time, where `choose_many` failed; the answers are kept for that.
    """

    name = "agent"

    def __init__(self, player: Player, limits: Limits) -> None:
        self.faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
        self.first_fault: str | None = None
        self.has_answered = False
        self._final_kind: str | None = None
        self._player, self._limits = player, limits
        self._costly = 0
        self._kept: dict[tuple[int, int], tuple[Match, Answer | AgentError]] = {}

    @property
    def has_given_up(self) -> bool:
        """Whether the agent had so many costly faults in a row that it is not asked again."""
        return self._final_kind is not None

    def check_answered(self, name: str) -> None:
        """Raises `BenchmarkError` with the first fault if the agent has been asked and no answer was right."""
        if self.first_fault is not None and not self.has_answered:
            times = sum(self.faults.values())
            raise BenchmarkError(
                f"{name} failed each of the {times} times it was asked; the first time it {self.first_fault}"
            )

    def ask(self, match: Match) -> Answer | AgentError:
        """A legal step chosen in time, or the agent's fault."""
        return self._note(match, self._ask(match))

    def choose(self, match: Match) -> Step:
        """Chooses a step; raises `AgentError` if the agent did not choose a legal one in time."""
        return self.choose_many([match])[0]

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """Chooses a step in each match; raises `AgentError` if the agent failed in one of them."""
        if any(_key(match) not in self._kept for match in matches):
            answers = zip(matches, self.ask_many(matches), strict=True)
            self._kept = {_key(match): (match, found) for match, found in answers}
        steps = []
        for match in matches:
            _, found = self._kept[_key(match)]
            if isinstance(found, AgentError):
                raise found
            steps.append(found.step)
        return steps

    def ask_many(self, matches: Sequence[Match]) -> list[Answer | AgentError]:
        """A legal step chosen in time in each match, or the agent's fault there; at once if the agent can."""
        answers = None
        if len(matches) > 1 and not self.has_given_up:
            with suppress(Exception):  # asked one match at a time, the agent shows where it fails
                answers = self._player.ask_many(matches)
        if answers is None or len(answers) != len(matches):
            return [self.ask(match) for match in matches]
        return [self._note(match, answer) for match, answer in zip(matches, answers, strict=True)]

    def _ask(self, match: Match) -> Answer | AgentError:
        if self._final_kind is not None:
            return AgentError(self._final_kind, f"failed {self._limits.patience} times in a row and is not asked again")
        try:
            return self._player.ask(match)
        except Exception as error:
            return _fault_of(error)

    def _note(self, match: Match, found: Answer | AgentError) -> Answer | AgentError:
        """Checks an answer and counts the fault, if there is one."""
        if isinstance(found, Answer):
            found = self._find_fault(match, found) or found
        self._costly = self._costly + 1 if isinstance(found, AgentError) and found.is_costly else 0
        if isinstance(found, AgentError):
            if self._costly >= self._limits.patience:
                self._final_kind = self._final_kind or found.kind
            self.faults[found.kind] += 1
            self.first_fault = self.first_fault or f"{found} ({match.position})"
        else:
            self.has_answered = True
        return found

    def _find_fault(self, match: Match, answer: Answer) -> AgentError | None:
        if answer.step not in match.legal_steps:
            return AgentError(ILLEGAL, f"answered {answer.step}, which is not legal")
        if answer.seconds > self._limits.decision:
            return AgentError(OVER_TIME, f"took {answer.seconds:.3g} s, expected at most {self._limits.decision:g}")
        return None


def _key(match: Match) -> tuple[int, int]:
    """Identifies a position of a match for as long as the match is kept."""
    return id(match), len(match.steps)


def _fault_of(error: Exception) -> AgentError:
    if isinstance(error, AgentError):
        return error
    if isinstance(error, LateBotError | IllegalTurnError):
        return AgentError(OVER_TIME if isinstance(error, LateBotError) else ILLEGAL, str(error))
    return AgentError(CRASH, f"raised {type(error).__name__}: {error}", has_ended=isinstance(error, EndedBotError))
