"""Measures the value that an agent's choices lose, in positions with known exact values."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..arena.intervals import Estimate, estimate_mean, estimate_share
from ..arena.progress import Progress, Watch, unwatched
from ..arena.schedule import derive_seed
from ..game.game import Game
from .agents.ask import AgentError
from .agents.fault_count import CheckedPlayer
from .protocol import Protocol
from .suite import SuitePosition, open_position

MISTAKES = ((1, 0), (1, -1), (0, -1))  # the values before and after each kind of mistake
NAMES = {1: "win", 0: "draw", -1: "loss"}
WORST = 2  # the most value that a choice can lose, from a win to a loss


@dataclass(frozen=True)
class Decision:
    """The decision of an agent in a position."""

    entry: SuitePosition
    kept: int  # the value of the chosen step, or of the worst step if the agent failed
    seconds: float | None  # the time it took, None if the agent failed
    expected: float | None  # the result that the agent expected, in [-1, 1]; None if it gave none

    @property
    def loss(self) -> int:
        """The value lost: 0, 1 or 2."""
        return self.entry.value - self.kept


@dataclass(frozen=True)
class Share:
    """The choices of an agent in some positions."""

    positions: int
    optimal: Estimate  # share of choices that kept the value
    loss: Estimate  # mean value lost
    chance: float  # share of random steps that keep the value


@dataclass(frozen=True)
class Stratum:
    """The choices in all positions with `pieces` pieces and the value `value`."""

    pieces: int
    value: int
    share: Share


@dataclass(frozen=True)
class Truth:
    """The choices of an agent in positions in which some step loses value."""

    all: Share
    unique: Share | None  # in those with exactly one best turn, None if there are none
    mistakes: dict[str, int]  # number of mistakes of each kind, such as `win_to_draw`
    strata: tuple[Stratum, ...]  # by pieces and value
    # As player_0 and as player_1, None in a seat without positions; None in a game whose sides are alike.
    by_seat: tuple[Share | None, Share | None] | None = None


def ask_all(
    agent: CheckedPlayer, game: Game, positions: Sequence[SuitePosition], watch: Watch = unwatched
) -> list[Decision]:
    """Asks an agent for a decision in each position of a suite."""
    decisions = []
    for number, entry in enumerate(positions):
        watch(Progress("positions", number, len(positions)))
        decisions.append(_ask(agent, game, entry))
    return decisions


def _ask(agent: CheckedPlayer, game: Game, entry: SuitePosition) -> Decision:
    match = open_position(game, entry)
    found = agent.ask(match)
    expected = agent.value(match)
    if isinstance(found, AgentError):
        return Decision(entry, min(entry.steps), None, expected)
    return Decision(entry, entry.steps[match.legal_steps.index(found.step)], found.seconds, expected)


def summarise(decisions: Sequence[Decision], protocol: Protocol, *, has_roles: bool = False) -> Truth:
    """Summarises the decisions in positions in which some step loses value, by seat too in a game of two roles."""
    critical = [decision for decision in decisions if decision.entry.is_critical]
    unique = [decision for decision in critical if decision.entry.unique]
    groups = groupby(critical, key=lambda decision: (decision.entry.pieces, decision.entry.value))
    kinds = Counter((decision.entry.value, decision.kept) for decision in critical)
    return Truth(
        all=_share(critical, protocol),
        unique=_share(unique, protocol) if unique else None,
        mistakes={name_mistake(best, kept): kinds[best, kept] for best, kept in MISTAKES},
        strata=tuple(Stratum(*key, _share(list(group), protocol)) for key, group in groups),
        by_seat=_share_by_seat(critical, protocol) if has_roles else None,
    )


def _share_by_seat(decisions: Sequence[Decision], protocol: Protocol) -> tuple[Share | None, Share | None]:
    seats = [[decision for decision in decisions if decision.entry.player == seat] for seat in (0, 1)]
    first, second = (_share(seat, protocol) if seat else None for seat in seats)
    return first, second


def name_mistake(best: int, kept: int) -> str:
    """The name of a kind of mistake, such as `win_to_draw`."""
    return f"{NAMES[best]}_to_{NAMES[kept]}"


def _share(decisions: Sequence[Decision], protocol: Protocol) -> Share:
    losses = [decision.loss for decision in decisions]
    return Share(
        positions=len(decisions),
        optimal=estimate_share(losses.count(0), len(losses)),
        loss=estimate_loss(losses, protocol),
        chance=find_chance([decision.entry for decision in decisions]),
    )


def estimate_loss(losses: Sequence[int], protocol: Protocol) -> Estimate:
    """The mean of the values lost in each position, with its interval."""
    return estimate_mean(losses, WORST, derive_seed(protocol.seed, "loss"), protocol.resamples)


def find_chance(positions: Sequence[SuitePosition]) -> float:
    """The share of random steps that keep the value."""
    return sum(each.steps.count(each.value) / len(each.steps) for each in positions) / len(positions)
