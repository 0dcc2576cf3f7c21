"""The figures of a result, computed from the answers in it: shares, intervals and ratings."""

from dataclasses import dataclass
from functools import lru_cache

from ..arena.arena_result import ANCHOR
from ..arena.exact_errors import ExactErrors, summarise_losses
from ..arena.ratings import rate
from ..arena.schedule import derive_seed
from ..arena.score import Estimate, Meeting, Score, estimate_share
from .agent_answers import Choices, PuzzleChoices, unpack
from .protocol import Ladder, Protocol


@dataclass(frozen=True)
class Rung:
    """The matches of an agent against one opponent."""

    meeting: Meeting  # seen from the agent
    rating: Estimate  # of the opponent, in Elo points
    score: Estimate  # the agent's share of points


@dataclass(frozen=True)
class Opponents:
    """The matches of an agent against the ladder."""

    rating: Estimate  # in Elo points, `random` = 0
    rungs: tuple[Rung, ...]  # in the order of the ladder

    @property
    def seats(self) -> tuple[Score, Score]:
        """The results against all opponents as `player_0` and as `player_1`."""
        first, second = Score(0, 0, 0), Score(0, 0, 0)
        for rung in self.rungs:
            as_0, as_1 = rung.meeting.seats
            first, second = first + as_0, second + as_1
        return first, second

    @property
    def total(self) -> Score:
        """The results against all opponents."""
        return self.seats[0] + self.seats[1]


def exact_errors(choices: Choices, protocol: Protocol) -> ExactErrors:
    """The errors of choices in critical positions."""
    return summarise_losses(unpack(choices.losses), choices.chance, protocol.exact.seed)


def solved_share(choices: PuzzleChoices) -> Estimate:
    """The share of puzzles that are solved."""
    return estimate_share(choices.solved.count("+"), len(choices.solved))


def rate_agent(spec: str, matches: dict[str, str], ladder: Ladder, protocol: Protocol) -> Opponents:
    """Rates an agent by its matches, see `play_ladder`, and those of the opponents against each other."""
    return _rate(spec, tuple(matches.items()), ladder, protocol.seed, protocol.resamples)


@lru_cache(maxsize=64)  # those of agents that are opponents are asked for one after the other
def _rate(spec: str, matches: tuple[tuple[str, str], ...], ladder: Ladder, seed: int, resamples: int) -> Opponents:
    played = tuple(Meeting.read(spec, name, signs) for name, signs in matches)
    ratings, scores = _fit((*ladder.meetings, *played), seed, resamples)
    found = {}
    for meeting, score in zip((*ladder.meetings, *played), scores, strict=True):
        if spec in (meeting.first, meeting.second):
            own = meeting.seen_from(spec)
            seen = score if own is meeting else Estimate(1 - score.value, 1 - score.high, 1 - score.low)
            found[own.second] = Rung(own, ratings[own.second], seen)
    return Opponents(ratings[spec], tuple(found[name] for name in ladder.rungs if name != spec))


@lru_cache(maxsize=16)
def _fit(meetings: tuple[Meeting, ...], seed: int, resamples: int) -> tuple[dict[str, Estimate], list[Estimate]]:
    return rate(meetings, ANCHOR, derive_seed(seed, "ratings"), resamples)
