"""What a bot that searches thinks of a position, and what it may spend on it: the same for every kind of search."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import BotError
from ..game.step import Step


@dataclass(frozen=True)
class Limits:
    """What a bot may spend on one decision. Each limit takes the place of the bot's own; None leaves that as it is.

    Attributes:
      seconds: Time from the begin of the search.
      depth: Whole turns to look ahead; other searches than alpha-beta do not look at it.
      nodes: Positions that alpha-beta visits, or simulations of the other searches.
      stop: Once another thread has set it, the bot answers at once with the best so far.

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
        """The end of a search that begins now; `seconds` where the limits say nothing of the time."""
        return Deadline(seconds if self.seconds is None else self.seconds, self.stop, self.nodes)


NO_LIMITS = Limits()


class Deadline:
    """The end of what may be spent on one step.

    Args:
      seconds: Time from now, None for as long as it takes.
      stop: Ends the time at once when it is set.
      nodes: Positions or simulations, None for as many as it takes.
    """

    def __init__(
        self, seconds: float | None = None, stop: threading.Event | None = None, nodes: int | None = None
    ) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self._stop = stop
        self._nodes = math.inf if nodes is None else nodes

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end or (self._stop is not None and self._stop.is_set())

    def budget(self, spent: int, at_once: int) -> int:
        """How many nodes more, at most `at_once`, may be spent before this is asked again; 0 when it is over."""
        return 0 if self.is_over else int(max(0, min(at_once, self._nodes - spent)))


@dataclass(frozen=True)
class Candidate:
    """A legal step and what the bot expects of it.

    Attributes:
      step: The step.
      line: The turns that the bot expects from here on; the first begins with `step` and is whole.
      value: Result to expect, in [-1, 1], for the player to move now.
      share: Of the simulations or of the policy, in [0, 1]; None where the bot has no such thing.
    """

    step: Step
    line: tuple[str, ...]
    value: float
    share: float | None


@dataclass(frozen=True)
class Thought:
    """What a bot thinks of a position.

    Attributes:
      value: Result to expect, in [-1, 1], for the player to move.
      candidates: First what the bot would play, then, where asked for, every other legal step, by value and then share.
      depth: Whole turns looked ahead, None where that is no measure.
      nodes: Positions visited, or simulations.
      score: In hundredths of a man, as in `Analysis`; None where the bot does not count so.
    """

    value: float
    candidates: tuple[Candidate, ...]
    depth: int | None
    nodes: int | None
    score: int | None

    @property
    def best(self) -> Candidate:
        """What the bot would play."""
        return self.candidates[0]


Report = Callable[[Thought], None]
"""Is told what a bot thinks so far. The first turn of such a line may be unfinished."""
