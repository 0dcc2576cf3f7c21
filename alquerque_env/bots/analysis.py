"""The analysis of a position by a bot that searches, and the limits of a search."""

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..errors import BotError
from ..game.step import Step, join_turn
from ..match.match import Match

MAX_DEPTH = 99  # the most turns that `alphabeta` looks ahead
SEARCHER = f"alphabeta:{MAX_DEPTH}"  # the bot for hints, reports and evaluations, whose search a time limit ends
MAX_SIMULATIONS = 10_000_000  # the most simulations of `mcts` for a step
SHORTEST_PACE, LONGEST_PACE = 0.005, 0.05  # seconds of a kernel between two checks


@dataclass(frozen=True)
class Limits:
    """Limits of one search. Each replaces the bot's own limit; None keeps the bot's own.

    Attributes:
      seconds: Time from the start of the search.
      depth: Turns to look ahead. Only alpha-beta and UGI engines use it.
      nodes: Positions that alpha-beta visits, or simulations of other searches.
      stop: The search ends with the best result so far as soon as another thread sets this event.

    Raises:
      BotError: If a limit is out of range.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    stop: threading.Event | None = None

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0), ("depth", 1), ("nodes", 0)):
            number = getattr(self, name)
            if number is not None and not number >= least:
                raise BotError(f"the limit of {name} is {number}, expected {least} or more")

    def deadline(self, seconds: float | None = None) -> "Deadline":
        """Returns the deadline of a search that starts now; `seconds` holds where the limits have no time."""
        return Deadline(seconds if self.seconds is None else self.seconds, self.stop, self.nodes)


NO_LIMITS = Limits()


class Deadline:
    """The end of a search that starts now: in so many seconds, at `stop`, or after so many nodes; None for no limit."""

    def __init__(
        self, seconds: float | None = None, stop: threading.Event | None = None, nodes: int | None = None
    ) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self._stop = stop
        self._nodes = math.inf if nodes is None else nodes

    @property
    def is_over(self) -> bool:
        """Whether the time is up or the search was stopped."""
        return time.monotonic() >= self._end or (self._stop is not None and self._stop.is_set())

    def budget(self, spent: int, at_once: int) -> int:
        """Returns how many nodes the search may visit before it asks again, at most `at_once`; 0 ends the search."""
        return 0 if self.is_over else int(max(0, min(at_once, self._nodes - spent)))


class Pace:
    """How many nodes a kernel visits before Python checks the deadline and for Ctrl-C: those of some milliseconds.

    Compiled kernels visit some hundred times as many as plain ones in that time, and a search may turn from these to
    those. Use it as a context in which the kernel runs with `nodes`.
    """

    def __init__(self, fewest: int, most: int) -> None:
        self.nodes, self._fewest, self._most = fewest, fewest, most
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_error: object) -> None:
        spent = time.monotonic() - self._began
        if spent < SHORTEST_PACE:
            self.nodes = min(2 * self.nodes, self._most)
        elif spent > LONGEST_PACE:
            self.nodes = max(self.nodes // 2, self._fewest)


@dataclass(frozen=True)
class Candidate:
    """A legal step with its evaluation.

    Attributes:
      step: The step.
      line: The principal variation, as texts of turns. Its first turn begins with `step` and is whole.
      value: Expected result in [-1, 1] for the player to move now.
      share: Share of the simulations, or probability by the policy, in [0, 1]; None for bots that have neither.
      turns: Turns of both sides to a certain win, negative for a certain loss; None if alpha-beta sees neither.
    """

    step: Step
    line: tuple[str, ...]
    value: float
    share: float | None
    turns: int | None = None

    @classmethod
    def from_line(
        cls, match: Match, actions: Sequence[int], value: float, share: float | None = None, turns: int | None = None
    ) -> "Candidate":
        """Returns the candidate of the first action of a line."""
        return cls(find_step(match, actions[0]), format_line(match, actions), value, share, turns)


@dataclass(frozen=True)
class Analysis:
    """A bot's evaluation of a position.

    Attributes:
      value: Expected result in [-1, 1] for the player to move.
      candidates: The step that the bot would play, then, if requested, all other legal steps by value and share.
      depth: Turns looked ahead; None for searches without a fixed depth.
      nodes: Positions visited, or simulations; None if unknown.
      score: In hundredths of a man for the player to move, by alpha-beta and UGI engines; else None. Alpha-beta scores
        a certain win in `n` turns as `WIN - n`.
    """

    value: float
    candidates: tuple[Candidate, ...]
    depth: int | None
    nodes: int | None
    score: int | None

    @property
    def best(self) -> Candidate:
        """The step that the bot would play."""
        return self.candidates[0]


Report = Callable[[Analysis], None]
"""Is called with intermediate results. The first turn of their lines may be unfinished."""


def find_step(match: Match, action: int) -> Step:
    """Returns the legal step with this action."""
    return next(step for step in match.legal_steps if step.action == action)


def format_line(match: Match, actions: Iterable[int]) -> tuple[str, ...]:
    """Writes a line of actions as texts of turns. An unfinished last turn is left out unless it is the only one."""
    ahead = match.copy()
    turns: list[str] = []
    turn: list[str] = []
    for action in actions:
        ahead.push(action)
        turn.append(ahead.steps[-1].text)
        if not ahead.turn_goes_on:
            turns.append(join_turn(turn))
            turn = []
    return tuple(turns or [join_turn(turn)])


def finish_turn(match: Match, actions: Sequence[int], decide: Callable[[Match], Step]) -> tuple[int, ...]:
    """Extends a line that ends in the middle of its first turn to the end of that turn by the steps of `decide`."""
    ahead = match.copy()
    for action in actions:
        ahead.push(action)
        if not ahead.turn_goes_on:
            return tuple(actions)
    while ahead.turn_goes_on:
        ahead.push(ahead.legal_steps[0] if len(ahead.legal_steps) == 1 else decide(ahead))
    return actions_since(match, ahead)


def actions_since(match: Match, ahead: Match) -> tuple[int, ...]:
    """Returns the actions that lead from a match to a continuation of it."""
    return tuple(step.action for step in ahead.steps[len(match.steps) :])
