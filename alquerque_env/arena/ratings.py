"""Elo ratings by the Bradley-Terry model, with confidence intervals.

Sources: Bradley and Terry 1952, Rank Analysis of Incomplete Block Designs, fitted by Maystre and Grossglauser 2015,
Fast and Accurate Inference of Plackett-Luce Models (the library choix); a draw counts as half a win for each.
Intervals by bootstrap, with the prior of Jeffreys 1946 for outcomes that were never seen.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..errors import require
from .score import Estimate, Meeting, estimate_by_bootstrap

POINTS_PER_NAT = 400 / math.log(10)  # Elo points for a factor of e in the odds


def expected_score(elo: float) -> float:
    """Returns the expected score in [0, 1] of a player who is stronger by so many Elo points."""
    return 1 / (1 + math.exp(-elo / POINTS_PER_NAT))


def elo_difference(score: float) -> float:
    """Returns the Elo difference for a score in [0, 1]; infinite for 0 and 1."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return POINTS_PER_NAT * math.log(score / (1 - score))


PRIOR = 0.5  # points added for each player in every pairing, so that a player who wins all matches has a finite rating

_LEAST = 5e-4
"""Least prior of a resample. With less, the ratings of players without a loss grow so large that the fit is slow."""

_MAX_ROUNDS = 10_000


def rate(
    meetings: Sequence[Meeting], anchor: str, seed: int, resamples: int
) -> tuple[dict[str, Estimate], list[Estimate]]:
    """Rates players with bootstrap intervals, by maximum likelihood; the meetings must connect all players.

    The bootstrap draws pairs of matches, because the two matches of an opening depend on each other. It also draws the
    points of the prior; otherwise ten wins out of ten would have an interval of width 0.

    Returns:
      The rating of each player in Elo points, 0 for the anchor, and the score in [0, 1] of the first player of each
      meeting.

    Raises:
      MissingExtraError: If choix is not installed.
    """
    names = _names(meetings)
    generator = np.random.default_rng(seed)
    sums = [np.array(meeting.points).sum(1) for meeting in meetings]
    places = [(names.index(meeting.first), names.index(meeting.second)) for meeting in meetings]

    def fit(drawn: Sequence[tuple[float, float]]) -> np.ndarray:
        return _fit(len(names), [(*at, *points) for at, points in zip(places, drawn, strict=True)], names.index(anchor))

    ratings = fit([(float(each.sum()) + PRIOR, float((2 - each).sum()) + PRIOR) for each in sums])
    scores = [float(each.mean() / 2) for each in sums]
    drawn_ratings, drawn_scores = [], []
    for _ in range(resamples):
        drawn = [_redraw(each, generator) for each in sums]
        drawn_ratings.append(fit(drawn))
        drawn_scores.append([own / (own + other) for own, other in drawn])
    found = dict(zip(names, estimate_by_bootstrap(ratings, drawn_ratings), strict=True))
    return found, estimate_by_bootstrap(scores, drawn_scores)


def rate_by_seat(
    meetings: Sequence[Meeting], anchor: str, seed: int, resamples: int
) -> dict[str, tuple[Estimate, Estimate]] | None:
    """Rates each player in each seat: every match is one between a player in one seat and another in the other.

    Where one seat is stronger, its ratings are higher. The bootstrap is that of `rate`.

    Returns:
      The ratings of each player as `player_0` and as `player_1` in Elo points, where the anchor has 0 as `player_0`;
      None if the meetings do not connect the seats, as those of two players or of a gauntlet.

    Raises:
      MissingExtraError: If choix is not installed.
    """
    names = _names(meetings)
    places = [(2 * names.index(meeting.first), 2 * names.index(meeting.second)) for meeting in meetings]
    zero = 2 * names.index(anchor)
    met = [{first + seat, second + 1 - seat} for first, second in places for seat in (0, 1)]
    connected = {zero}
    for _ in range(2 * len(names)):
        connected = connected.union(*(each for each in met if each & connected))
    if len(connected) < 2 * len(names):
        return None
    generator = np.random.default_rng(seed)

    def fit(drawn: Sequence[np.ndarray], prior: Sequence[np.ndarray]) -> np.ndarray:
        rows = []
        for (first, second), points, extra in zip(places, drawn, prior, strict=True):
            count, (as_0, as_1) = len(points), points.sum(0)
            rows.append((first, second + 1, as_0 + extra[0], count - as_0 + extra[1]))
            rows.append((first + 1, second, as_1 + extra[2], count - as_1 + extra[3]))
        return _fit(2 * len(names), rows, zero)

    points = [np.array(meeting.points) for meeting in meetings]
    ratings = fit(points, [np.full(4, PRIOR)] * len(points))
    resampled = [
        fit(
            [each[generator.integers(len(each), size=len(each))] for each in points],
            [np.maximum(generator.gamma(PRIOR, size=4), _LEAST) for _ in points],
        )
        for _ in range(resamples)
    ]
    estimates = estimate_by_bootstrap(ratings, resampled)
    return {name: (estimates[2 * place], estimates[2 * place + 1]) for place, name in enumerate(names)}


def _names(meetings: Sequence[Meeting]) -> list[str]:
    return list(dict.fromkeys(name for meeting in meetings for name in (meeting.first, meeting.second)))


def _fit(num_players: int, results: Sequence[tuple[int, int, float, float]], anchor: int) -> np.ndarray:
    """Fits ratings to results that contain the points of the prior."""
    require("choix", "arena")
    from choix import ilsr_pairwise_dense

    wins = np.zeros((num_players, num_players))
    for first, second, own, other in results:
        wins[first, second] += own
        wins[second, first] += other
    try:
        strengths = ilsr_pairwise_dense(wins, max_iter=_MAX_ROUNDS)
    except ValueError as error:
        # choix converts every exception, Ctrl-C included, to ValueError.
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise
    return POINTS_PER_NAT * (strengths - strengths[anchor])


def _redraw(sums: np.ndarray, generator: np.random.Generator) -> tuple[float, float]:
    """Draws openings again from the first player's points in each; returns the points of both players."""
    own = float(generator.choice(sums, size=len(sums)).sum())
    more, less = np.maximum(generator.gamma(PRIOR, size=2), _LEAST)
    return own + float(more), 2 * len(sums) - own + float(less)
