"""The protocol of the benchmark: everything that decides the figures, apart from the agent and the game."""

from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import BenchmarkError
from ..files.schema import parse, read_toml

FOLDER = Path(__file__).parent
CURRENT = "v1"


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    """How the positions of a suite are found.

    Attributes:
      positions: Number of positions in which some step loses value.
      lost_positions: Number of lost positions besides.
      seed: Seed of the matches that they come from.
      players: Specs of the bots that play these matches.
      random_share: Share of random steps among theirs.
      matches: The most matches.
    """

    positions: int
    lost_positions: int
    seed: int
    players: tuple[str, ...]
    random_share: float
    matches: int


@dataclass(frozen=True, kw_only=True)
class LadderPlan:
    """The opponents and openings of a ladder.

    Attributes:
      rungs: Specs of the opponents; `{game}` stands for the id of the game.
      games: Matches against each opponent, an even number.
      plies, seed, judge, batch, max_steps: As in `arena.Settings`.
    """

    rungs: tuple[str, ...]
    games: int
    plies: int
    seed: int
    judge: str
    batch: int
    max_steps: int


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The time limits of an agent.

    Attributes:
      decision: Seconds for a decision.
      warm_up: Seconds to load, and again for a first decision that does not count.
      patience: After this many decisions in a row that are late or end its process, the agent is not asked again in
        this game.
    """

    decision: float
    warm_up: float
    patience: int


@dataclass(frozen=True, kw_only=True)
class Quick:
    """A short run that shows whether an agent works; its figures are not comparable.

    Attributes:
      positions: Number of positions.
      games: Matches against each opponent, an even number.
    """

    positions: int
    games: int


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A version of the benchmark.

    Attributes:
      version: Its name.
      folder: The folder of its suites and ladders.
      seed: Seed of agents and of intervals.
      resamples: Bootstrap resamples of the intervals.
      suite: How suites are made.
      ladder: The opponents and openings.
      limits: The time limits of an agent.
      quick: The size of a quick run.
      is_quick: Whether this is a quick run.
    """

    version: str
    folder: Path
    seed: int
    resamples: int
    suite: SuitePlan
    ladder: LadderPlan
    limits: Limits
    quick: Quick
    is_quick: bool = False

    @property
    def games(self) -> int:
        """Matches against each opponent."""
        return self.quick.games if self.is_quick else self.ladder.games

    def shortened(self) -> "Protocol":
        """The same protocol for a quick run."""
        return replace(self, is_quick=True)


def load_protocol(version: str = CURRENT) -> Protocol:
    """A version of the benchmark that comes with the package.

    Raises:
      BenchmarkError: If its file cannot be read; the error names file, key and value.
    """
    file = FOLDER / version / "protocol.toml"
    content = read_toml(file, str(file), BenchmarkError)
    return parse(Protocol, content | {"folder": file.parent}, str(file), BenchmarkError)
