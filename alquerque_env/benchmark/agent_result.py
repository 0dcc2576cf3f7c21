"""The result of an agent, as an object and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..arena.arena_result import round_numbers
from ..errors import BenchmarkError
from ..files.regular import read_regular
from ..files.schema import Key, parse, unique_keys
from .against_ladder import Opponents
from .against_truth import Truth
from .agent_facts import MAX_STEPS, Facts
from .calibration import Calibration
from .puzzle_track import PuzzleTrack
from .response import Response
from .tracks import ExactTrack

FORMAT = 1
_DIGITS = 5
_OPTIONAL = (
    "library",
    "seed",
    "trained_on",
)
"""Facts that are absent where they are not known, as in results of version 0.1.0."""


@dataclass(frozen=True)
class Timing:
    """The time of decisions, asked for one at a time."""

    decisions: Annotated[int, Key(low=1)]
    median: Annotated[float, Key(low=0)]  # median and 95th percentile, in seconds
    slow: Annotated[float, Key(low=0)]


@dataclass(frozen=True)
class Faults:
    """The faults of an agent. In a position they count as the worst step, in a match as a loss."""

    illegal: Annotated[int, Key(low=0)]  # answers that were not legal
    crash: Annotated[int, Key(low=0)]  # decisions that ended with an error
    over_time: Annotated[int, Key(low=0)]  # decisions that took too long
    first: str | None  # the first fault in words, None if there was none
    gave_up: bool  # whether it failed in a costly way so often in a row that it was not asked again

    @property
    def count(self) -> int:
        """The number of all faults."""
        return self.illegal + self.crash + self.over_time


@dataclass(frozen=True)
class GameResult:
    """The result of an agent in one game."""

    suite: str  # SHA-256 of the files of positions and opponents
    ladder: str
    truth: Truth  # the choices in positions with known values
    calibration: Calibration | None  # None if it gives no values
    opponents: Opponents
    timing: Timing | None  # None if it made no decision
    faults: Faults

    @property
    def measured_by(self) -> tuple[str | None, ...]:
        """The hashes of what the agent was measured by; results can be compared where they are equal."""
        return self.suite, self.ladder


@dataclass(frozen=True)
class TrackResult:
    """The result of an agent in one setting of a game, by version 2."""

    exact: ExactTrack | None  # None if no exact values are known
    responses: tuple[Response, ...] | None  # the best responses to the agent, None if they have not been looked for
    ladder: str | None  # SHA-256 of the file of opponents, None if no matches were played
    opponents: Opponents | None
    timing: Timing | None  # None if it made no decision by itself
    faults: Faults
    puzzles: PuzzleTrack | None = None  # None if the game has none, and in quick runs
    # Processor time of each track, without that of the process of a function. Results of version 0.1.0 have none.
    processor_seconds: dict[str, Annotated[float, Key(low=0, high=MAX_STEPS)]] = field(default_factory=dict)

    @property
    def measured_by(self) -> tuple[str | None, ...]:
        """As that of `GameResult`."""
        return *((None, None) if self.exact is None else (self.exact.table, self.exact.sample)), self.ladder


@dataclass(frozen=True)
class Result:
    """The result of an agent.

    Attributes:
      benchmark: Version of the protocol.
      quick: Whether it was a quick run, whose figures are not comparable.
      version: Version of the package.
      machine: The machine.
      command: The command that repeats it.
      name: Name of the agent.
      spec: Spec of the agent.
      facts: Description of the agent.
      games: The result in each game, by id.
    """

    benchmark: str
    quick: bool
    version: str
    machine: str
    command: str
    name: Annotated[str, Key(low=1)]
    spec: Annotated[str, Key(low=1)]
    facts: Facts
    games: Annotated[dict[str, GameResult], Key(low=1)]

    def as_dict(self) -> dict[str, Any]:
        """Returns the result for JSON. The same agent always has the same result, apart from times."""
        content: dict[str, Any] = round_numbers({"format": FORMAT, **asdict(self)}, round_number)
        facts = content["facts"].items()
        content["facts"] = {name: value for name, value in facts if value is not None or name not in _OPTIONAL}
        for game in content["games"].values():
            parts = [game["truth"]] if "truth" in game else []
            for part in (*parts, *(game["opponents"] or {"rungs": ()})["rungs"]):
                if part["by_seat"] is None:
                    del part["by_seat"]
        return content


@dataclass(frozen=True)
class TrackedResult(Result):
    """The result of an agent by version 2; `games` has names of settings, such as `pretwa capture=optional`."""

    games: Annotated[dict[str, TrackResult], Key(low=1)]  # type: ignore[assignment]


def round_number(number: float) -> float:
    """A number with the digits that a file has of it."""
    return float(f"{number:.{_DIGITS}g}")


def read_file(path: Path) -> list[Result]:
    """The results in a file, of one agent or of each checkpoint of a run; `BenchmarkError` for any other file."""
    try:
        content = json.loads(read_regular(path), object_pairs_hook=unique_keys)
        known = content["format"]
        found = content.get("results", [content])
        entries = [{key: value for key, value in entry.items() if key != "format"} for entry in found]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BenchmarkError(f"{str(path)!r} is not a result of the benchmark") from None
    if known != FORMAT:
        raise BenchmarkError(f"{str(path)!r} has format {known!r}, expected {FORMAT}")
    name = f"{str(path)!r} is not a result of the benchmark"
    kinds = [TrackedResult if entry.get("benchmark") == "v2" else Result for entry in entries]
    results = [parse(kind, entry, name, BenchmarkError) for kind, entry in zip(kinds, entries, strict=True)]
    try:
        for result in results:
            _ = result.facts.training
    except BenchmarkError as error:
        raise BenchmarkError(f"{name}: facts: {error}") from None
    return results


def time_of(seconds: Sequence[float]) -> Timing | None:
    """Summarises the seconds of decisions; None if there are none."""
    if not seconds:
        return None
    median, slow = np.percentile(np.asarray(seconds), [50, 95])
    return Timing(len(seconds), float(median), float(slow))
