"""What the benchmark has found out about an agent."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arena.arena_result import round_numbers
from ..errors import BenchmarkError
from ..files.schema import parse
from .against_ladder import Opponents
from .against_truth import Truth
from .agent_facts import Facts
from .calibration import Calibration

FORMAT = 1
_DIGITS = 5


@dataclass(frozen=True)
class Timing:
    """What decisions cost, asked for one at a time.

    Attributes:
      decisions: How many there were.
      median, slow: Seconds: half of them took no longer, 95 % of them.
    """

    decisions: int
    median: float
    slow: float


@dataclass(frozen=True)
class Faults:
    """What an agent did wrong. A choice that it did not make counts as the worst, its match as lost.

    Attributes:
      illegal: Answers that were no legal action.
      crash: Decisions in which it failed.
      over_time: Decisions that took too long.
      first: What it was the first time, None if there was nothing.
      gave_up: Whether it took too long, or its process ended, so often in a row that it was asked no more.
    """

    illegal: int
    crash: int
    over_time: int
    first: str | None
    gave_up: bool

    @property
    def count(self) -> int:
        """All of them."""
        return self.illegal + self.crash + self.over_time


@dataclass(frozen=True)
class GameResult:
    """What an agent did in one game.

    Attributes:
      suite, ladder: SHA-256 of the positions and of the opponents.
      truth: Against truth.
      calibration: Of its values, None where it has none.
      opponents: Against opponents.
      timing: Of its decisions, None where it made none.
      faults: What it did wrong.
    """

    suite: str
    ladder: str
    truth: Truth
    calibration: Calibration | None
    opponents: Opponents
    timing: Timing | None
    faults: Faults


@dataclass(frozen=True)
class Result:
    """What an agent did.

    Attributes:
      benchmark: Version of the protocol.
      quick: Whether it was a quick run, whose figures are not comparable.
      version: Of the package.
      machine: Where it ran.
      command: By which it can be repeated.
      name: What the agent is called.
      spec: By which it is found.
      facts: What is known of it.
      games: What it did in each game, by id.
    """

    benchmark: str
    quick: bool
    version: str
    machine: str
    command: str
    name: str
    spec: str
    facts: Facts
    games: dict[str, GameResult]

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON has it; but for `timing` the same whenever the same agent is measured."""
        content: dict[str, Any] = round_numbers(
            {"format": FORMAT, **asdict(self)}, lambda each: float(f"{each:.{_DIGITS}g}")
        )
        return content


def read_file(path: Path) -> list[Result]:
    """The results of a file: that of an agent, or those of the checkpoints of a run.

    Raises:
      BenchmarkError: If it holds none, or has another format.
      OSError: If it cannot be read.
    """
    try:
        content = json.loads(path.read_bytes())
        known = content["format"]
        found = content.get("results", [content])
        entries = [{key: value for key, value in entry.items() if key != "format"} for entry in found]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BenchmarkError(f"{str(path)!r} is not a result of the benchmark") from None
    if known != FORMAT:
        raise BenchmarkError(f"{str(path)!r} has format {known!r}, expected {FORMAT}")
    name = f"{str(path)!r} is not a result of the benchmark"
    return [parse(Result, entry, name, BenchmarkError) for entry in entries]


def time_of(seconds: Sequence[float]) -> Timing | None:
    """Sums up what decisions took; None where there were none."""
    if not seconds:
        return None
    median, slow = np.percentile(np.asarray(seconds), [50, 95])
    return Timing(len(seconds), float(median), float(slow))
