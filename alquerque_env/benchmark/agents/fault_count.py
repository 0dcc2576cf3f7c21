"""Checks the answers of an agent and counts its faults, so that a faulty agent does not stop the benchmark."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from ...errors import BenchmarkError, EndedBotError, IllegalTurnError, LateBotError
from ...game.step import Step
from ...match.match import Match
from ..protocol import Limits
from .ask import CRASH, FAULTS, ILLEGAL, OVER_TIME, AgentError, Answer, Player


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
