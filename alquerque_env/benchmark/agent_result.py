"""The result of an agent, as an object and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..arena.arena_result import round_numbers
from ..arena.score import Meeting
from ..errors import BenchmarkError
from ..files.regular import read_regular
from ..files.schema import Key, parse, unique_keys
from .agent_answers import Choices, PuzzleChoices, Response, unpack
from .agents.facts import MAX_STEPS, Facts

FORMAT = 2
_DIGITS = 5
_OPTIONAL = ("library", "seed", "trained_on")
"""Facts that are absent where they are not known."""


@dataclass(frozen=True)
class Timing:
    """The time of decisions."""

    decisions: Annotated[int, Key(low=1)]
    median: Annotated[float, Key(low=0)]  # median and 95th percentile, in seconds
    slow: Annotated[float, Key(low=0)]

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Timing | None":
        """Summarises the seconds of decisions; None if there are none."""
        if not seconds:
            return None
        median, slow = np.percentile(np.asarray(seconds), [50, 95])
        return cls(len(seconds), float(median), float(slow))


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
    """The answers of an agent in a game with some options, and what they took."""

    table: str | None  # hash of the values of the table, None if no exact values are known
    choices: dict[str, Choices]  # in critical positions, by kind
    responses: tuple[Response, ...] | None  # the best responses to the agent, None if they have not been looked for
    puzzles: PuzzleChoices | None  # None if the game has none, and in quick runs
    ladder: str | None  # SHA-256 of the file of opponents, None if no matches were played
    matches: dict[str, str]  # points against each opponent, see `Meeting.signs`; none of an agent that is one itself
    timing: Timing | None  # None if it made no decision by itself
    faults: Faults
    # Processor time of each part, without that of the process of a function.
    processor_seconds: dict[str, Annotated[float, Key(low=0, high=MAX_STEPS)]]

    @property
    def measured_by(self) -> tuple[str | None, ...]:
        """The hashes of what the agent was measured by; results can be compared where they are equal."""
        puzzles = None if self.puzzles is None else self.puzzles.sha256
        return self.table, *(each.sample for each in self.choices.values()), puzzles, self.ladder


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
      games: The answers in each setting, by its name, such as `pretwa capture=optional`.
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
        return content


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
    results = [parse(Result, entry, name, BenchmarkError) for entry in entries]
    for result in results:
        try:
            _ = result.facts.training
        except BenchmarkError as error:
            raise BenchmarkError(f"{name}: facts: {error}") from None
        for setting, found in result.games.items():
            for what in _unreadable(found, result.spec):
                raise BenchmarkError(f"{name}: {setting}: {what} cannot be read")
    return results


def _unreadable(found: GameResult, spec: str) -> Iterator[str]:
    """The packed parts of a result that hold something else than their numbers."""
    for kind, choices in found.choices.items():
        try:
            actions, losses = unpack(choices.actions), unpack(choices.losses)
            is_right = (
                len(actions) == len(losses) > 0 and actions.min() >= -1 and 0 <= losses.min() <= losses.max() <= 2
            )
        except ValueError:
            is_right = False
        if not is_right:
            yield f"choices.{kind}"
    if found.puzzles is not None:
        try:
            is_right = unpack(found.puzzles.actions).min(initial=0) >= -1 and {*found.puzzles.solved} <= {*"+-"}
        except ValueError:
            is_right = False
        if not is_right or not found.puzzles.solved:
            yield "puzzles"
    for name, signs in found.matches.items():
        try:
            Meeting.read(spec, name, signs)
        except ValueError:
            signs = ""
        if not signs:
            yield f"matches against {name}"
