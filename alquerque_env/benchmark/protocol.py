"""The protocol of the benchmark: all that decides its figures, beside the agent and the game."""

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
      positions: How many there are to be in which some step loses value.
      lost_positions: How many there are to be besides that are lost.
      seed: Decides the matches that they come from.
      players: Specs of the bots that play these matches.
      random_share: How often a random step is played instead.
      matches: How many are played at most.
    """

    positions: int
    lost_positions: int
    seed: int
    players: tuple[str, ...]
    random_share: float
    matches: int


@dataclass(frozen=True, kw_only=True)
class LadderPlan:
    """Against whom an agent plays, and from where.

    Attributes:
      rungs: Specs of the opponents; `{game}` stands for the name of the game.
      games: Matches with each of them, even.
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
    """What an agent is waited for.

    Attributes:
      decision: Seconds for a decision.
      warm_up: Seconds to be loaded, and then for a first decision that does not count.
      patience: After so many decisions in a row that took too long, or in which its process ended, it is asked
        nothing more in this game.
    """

    decision: float
    warm_up: float
    patience: int


@dataclass(frozen=True, kw_only=True)
class Quick:
    """A run that only tries out whether an agent works; its figures are not comparable.

    Attributes:
      positions: Of the suite.
      games: Matches with each opponent, even.
    """

    positions: int
    games: int


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A version of the benchmark.

    Attributes:
      version: Its name.
      folder: Where its suites and ladders are.
      seed: Of whatever agents leave to chance, and of the intervals.
      resamples: How often results are drawn anew for the intervals.
      suite: How suites were made.
      ladder: Against whom an agent plays.
      limits: How long an agent is waited for.
      quick: What is done instead by a run that only tries out an agent.
      is_quick: Whether this is such a run.
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
        """Matches with each opponent."""
        return self.quick.games if self.is_quick else self.ladder.games

    def shortened(self) -> "Protocol":
        """The same for a quick run."""
        return replace(self, is_quick=True)


def load_protocol(version: str = CURRENT) -> Protocol:
    """A version of the benchmark that comes with the package."""
    return read_protocol(FOLDER / version)


def read_protocol(folder: Path) -> Protocol:
    """The version of the benchmark that lies in a folder.

    Raises:
      BenchmarkError: If its file cannot be read; the error names file, key and value.
    """
    file = folder / "protocol.toml"
    content = read_toml(file, str(file), BenchmarkError)
    return parse(Protocol, content | {"folder": folder}, str(file), BenchmarkError)
