"""Against truth: what the choices of an agent lose, in positions whose exact values are known."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..arena.intervals import Estimate, estimate_mean, estimate_share
from ..arena.progress import Progress, Watch, unwatched
from ..arena.seeds import derive_seed
from ..game.game import Game
from .agents.ask import AgentError
from .agents.fault_count import Guard
from .protocol import Protocol
from .suite import SuitePosition, open_position

NAMES = {1: "win", 0: "draw", -1: "loss"}
WORST = 2
"""The most value that a choice can lose."""


@dataclass(frozen=True)
class Decision:
    """What an agent did in a position.

    Attributes:
      entry: The position.
      kept: The value of the step that it chose, or of the worst one where it chose none.
      seconds: What it took the agent, None where it did not choose.
      expected: The result that it expected, in [-1, 1]; None where it did not say.
    """

    entry: SuitePosition
    kept: int
    seconds: float | None
    expected: float | None

    @property
    def loss(self) -> int:
        """The value that was lost: 0, 1 or 2."""
        return self.entry.value - self.kept


@dataclass(frozen=True)
class Share:
    """How often an agent chose well among some positions.

    Attributes:
      positions: How many.
      optimal: Share of choices that kept the value.
      loss: Mean of the value lost.
      chance: The share of optimal choices to expect of random steps.
    """

    positions: int
    optimal: Estimate
    loss: Estimate
    chance: float


@dataclass(frozen=True)
class Stratum:
    """The positions with so many pieces and that value.

    Attributes:
      pieces, value: What they have in common.
      share: How often the agent chose well.
    """

    pieces: int
    value: int
    share: Share


@dataclass(frozen=True)
class Truth:
    """How an agent did against truth, in positions in which some step loses value.

    Attributes:
      all: In all of them.
      unique: In those with exactly one best turn, None if there are none.
      mistakes: How often a win became a draw, and so on, by names such as `win_to_draw`.
      strata: By pieces and value.
    """

    all: Share
    unique: Share | None
    mistakes: dict[str, int]
    strata: tuple[Stratum, ...]


def examine(guard: Guard, game: Game, positions: Sequence[SuitePosition], watch: Watch = unwatched) -> list[Decision]:
    """Asks an agent in each of several positions, in their order.

    Args:
      guard: The agent.
      game: What is played.
      positions: Of the suite.
      watch: Called with how far it is.
    """
    decisions = []
    for number, entry in enumerate(positions):
        watch(Progress("positions", number, len(positions)))
        decisions.append(_ask(guard, game, entry))
    return decisions


def _ask(guard: Guard, game: Game, entry: SuitePosition) -> Decision:
    match = open_position(game, entry)
    found = guard.ask(match)
    expected = guard.value(match)
    if isinstance(found, AgentError):
        return Decision(entry, min(entry.steps), None, expected)
    return Decision(entry, entry.steps[match.legal_steps.index(found.step)], found.seconds, expected)


def judge(decisions: Sequence[Decision], protocol: Protocol) -> Truth:
    """Sums up what an agent did, where some step loses value."""
    critical = [decision for decision in decisions if decision.entry.is_critical]
    unique = [decision for decision in critical if decision.entry.is_unique]
    groups = groupby(critical, key=lambda decision: (decision.entry.pieces, decision.entry.value))
    return Truth(
        all=_share(critical, protocol),
        unique=_share(unique, protocol) if unique else None,
        mistakes=_count_mistakes(critical),
        strata=tuple(Stratum(*key, _share(list(group), protocol)) for key, group in groups),
    )


def _share(decisions: Sequence[Decision], protocol: Protocol) -> Share:
    losses = [decision.loss for decision in decisions]
    steps = [decision.entry.steps for decision in decisions]
    return Share(
        positions=len(decisions),
        optimal=estimate_share(losses.count(0), len(losses)),
        loss=estimate_mean(losses, WORST, derive_seed(protocol.seed, "loss"), protocol.resamples),
        chance=sum(each.count(max(each)) / len(each) for each in steps) / len(steps),
    )


def _count_mistakes(decisions: Sequence[Decision]) -> dict[str, int]:
    count = Counter((decision.entry.value, decision.kept) for decision in decisions)
    return {f"{NAMES[best]}_to_{NAMES[kept]}": count[best, kept] for best, kept in ((1, 0), (1, -1), (0, -1))}
