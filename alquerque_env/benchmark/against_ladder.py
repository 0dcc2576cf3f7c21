"""Measures an agent against the opponents of the ladder: scores and rating."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..arena import play_arena
from ..arena.arena_result import ANCHOR, Meeting
from ..arena.evaluation import SeatResult
from ..arena.intervals import Estimate
from ..arena.openings import Openings
from ..arena.progress import Watch
from ..arena.ratings import rate
from ..arena.schedule import derive_seed
from ..game.game import Game
from .agents.fault_count import CheckedPlayer
from .ladder import Ladder, arena_settings
from .protocol import Protocol


@dataclass(frozen=True)
class Rung:
    """The result of an agent against one opponent."""

    name: str  # spec of the opponent
    rating: Estimate  # rating of the opponent, in Elo points
    wins: int  # of the agent
    draws: int
    losses: int
    score: Estimate  # the agent's share of points
    # The agent's results as player_0 and as player_1; None in a game whose sides are alike.
    by_seat: tuple[SeatResult, SeatResult] | None = None


@dataclass(frozen=True)
class Opponents:
    """The result of an agent against the ladder."""

    rating: Estimate  # in Elo points, `random` = 0
    score: float  # share of points against all opponents
    rungs: tuple[Rung, ...]  # the results against each opponent, in the order of the ladder


def play_ladder(
    agent: CheckedPlayer, spec: str, game: Game, ladder: Ladder, protocol: Protocol, watch: Watch
) -> Opponents:
    """Plays an agent against every opponent from both seats of each opening, unless it is one of them."""
    if spec in ladder.rungs:
        return _rate(spec, ladder, [], protocol)
    openings = Openings(ladder.openings.list[: protocol.games // 2], ladder.openings.tried)
    settings = arena_settings(protocol, gauntlet=True)
    result = play_arena(game, [agent, *ladder.rungs], settings, openings=openings, watch=watch)
    return _rate(agent.name, ladder, result.pairings, protocol)


def _rate(name: str, ladder: Ladder, played: Sequence[Meeting], protocol: Protocol) -> Opponents:
    """Rates an agent by its matches and those of the opponents against each other."""
    meetings: list[Meeting] = [*ladder.meetings, *played]
    names = list(dict.fromkeys([*ladder.rungs, name]))
    points = [meeting.points(names) for meeting in meetings]
    seed = derive_seed(protocol.seed, "ratings")
    ratings, scores = rate(len(names), points, names.index(ANCHOR), seed, protocol.resamples)
    rating = dict(zip(names, ratings, strict=True))
    rungs = [
        _rung(meeting, score, name, rating)
        for meeting, score in zip(meetings, scores, strict=True)
        if name in (meeting.first, meeting.second)
    ]
    games = sum(rung.wins + rung.draws + rung.losses for rung in rungs)
    return Opponents(rating[name], sum(rung.wins + rung.draws / 2 for rung in rungs) / games, tuple(rungs))


def _rung(meeting: Meeting, score: Estimate, name: str, rating: dict[str, Estimate]) -> Rung:
    own = meeting.seen_from(name)
    seen = score if own is meeting else Estimate(1 - score.value, 1 - score.high, 1 - score.low)
    return Rung(own.second, rating[own.second], own.wins, own.draws, own.losses, seen, own.by_seat)
