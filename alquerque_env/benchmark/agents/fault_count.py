"""Stands between an agent and the benchmark, and counts what the agent does wrong, so that the benchmark goes on."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from ...errors import EndedBotError, IllegalTurnError, LateBotError
from ...game.step import Step
from ...match.match import Match
from ..protocol import Limits
from .ask import CRASH, FAULTS, ILLEGAL, OVER_TIME, AgentError, Answer, Thinker


class Guard:
    """An agent of which every answer is checked.

    As a bot of the arena it may be asked again where it failed: it answers the same without asking the agent.

    Args:
      thinker: The agent.
      limits: How long it may take.

    Attributes:
      name: What the arena calls it.
      faults: How often the agent did something wrong, by the kind of it.
      first_fault: What it was the first time, None if there was none.
    """

    name = "agent"

    def __init__(self, thinker: Thinker, limits: Limits) -> None:
        self.faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
        self.first_fault: str | None = None
        self._last_straw: str | None = None
        self._thinker, self._limits = thinker, limits
        self._costly = 0
        self._costly_values = 0
        self._kept: dict[tuple[int, int], tuple[Match, Answer | AgentError]] = {}

    @property
    def has_given_up(self) -> bool:
        """Whether the agent took too long, or its process ended, so often in a row that it is asked no more."""
        return self._last_straw is not None

    def ask(self, match: Match) -> Answer | AgentError:
        """A legal step for a match with a choice, or what the agent did instead of choosing one in time."""
        return self._note(match, self._ask(match))

    def value(self, match: Match) -> float | None:
        """The result that the agent expects, in [-1, 1] for the player to move; None where it does not say."""
        if self.has_given_up or self._costly_values >= self._limits.patience:
            return None
        try:
            value = self._thinker.value(match)
        except Exception as error:
            fault = _fault_of(error)
            self._costly_values += fault.is_costly
            self._note(match, fault)
            return None
        return value if value is not None and -1 <= value <= 1 else None

    def choose(self, match: Match) -> Step:
        """A step of a match.

        Raises:
          AgentError: If the agent did not choose one in time.
        """
        return self.choose_many([match])[0]

    def choose_many(self, matches: Sequence[Match]) -> list[Step]:
        """A step for each of several matches.

        Raises:
          AgentError: If the agent failed in one of them; asked for one at a time, it fails in that one alone.
        """
        if len(matches) > 1:
            self._kept = {
                _key(match): (match, found) for match, found in zip(matches, self._ask_all(matches), strict=True)
            }
        steps = []
        for match in matches:
            _, found = self._kept.get(_key(match)) or (match, self.ask(match))
            if isinstance(found, AgentError):
                raise found
            steps.append(found.step)
        return steps

    def _ask_all(self, matches: Sequence[Match]) -> list[Answer | AgentError]:
        answers = None
        if not self.has_given_up:
            # Asked for one at a time, an agent shows where it fails.
            with suppress(Exception):
                answers = self._thinker.ask_many(matches)
        if answers is None or len(answers) != len(matches):
            return [self.ask(match) for match in matches]
        return [self._note(match, answer) for match, answer in zip(matches, answers, strict=True)]

    def _ask(self, match: Match) -> Answer | AgentError:
        if self._last_straw is not None:
            return AgentError(self._last_straw, f"failed {self._limits.patience} times in a row and is asked no more")
        try:
            return self._thinker.ask(match)
        # What somebody's agent raises is its own fault, whatever it is.
        except Exception as error:
            return _fault_of(error)

    def _note(self, match: Match, found: Answer | AgentError) -> Answer | AgentError:
        """Checks an answer, and counts what is wrong with it."""
        if isinstance(found, Answer):
            found = self._find_fault(match, found) or found
        self._costly = self._costly + 1 if isinstance(found, AgentError) and found.is_costly else 0
        if isinstance(found, AgentError):
            if self._costly >= self._limits.patience:
                self._last_straw = self._last_straw or found.kind
            self.faults[found.kind] += 1
            self.first_fault = self.first_fault or f"{found} ({match.position})"
        return found

    def _find_fault(self, match: Match, answer: Answer) -> AgentError | None:
        if answer.step not in match.legal_steps:
            return AgentError(ILLEGAL, f"answered {answer.step}, which is not legal")
        if answer.seconds > self._limits.decision:
            return AgentError(OVER_TIME, f"took {answer.seconds:.3g} s, expected at most {self._limits.decision:g}")
        return None


def _key(match: Match) -> tuple[int, int]:
    """Names a position of a match that is kept, which no other match can be taken for."""
    return id(match), len(match.steps)


def _fault_of(error: Exception) -> AgentError:
    if isinstance(error, AgentError):
        return error
    if isinstance(error, LateBotError | IllegalTurnError):
        return AgentError(OVER_TIME if isinstance(error, LateBotError) else ILLEGAL, str(error))
    return AgentError(CRASH, f"{type(error).__name__}: {error}", has_ended=isinstance(error, EndedBotError))
