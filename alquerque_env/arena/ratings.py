"""Elo ratings by the Bradley-Terry model, with confidence intervals.

Sources: Bradley and Terry 1952, Rank Analysis of Incomplete Block Designs, fitted by Maystre and Grossglauser 2015,
Fast and Accurate Inference of Plackett-Luce Models (the library choix); a draw counts as half a win for each.
Intervals by bootstrap, with the prior of Jeffreys 1946 for outcomes that were never seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import require
from .intervals import Estimate, estimate_by_bootstrap

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


@dataclass(frozen=True)
class PairPoints:
    """The results of two players against each other."""

    first: int  # indices of the players
    second: int
    points: tuple[float, ...]  # points of the first player in each pair of matches of one opening, 0 to 2 in halves


def fit_ratings(num_players: int, results: Sequence[tuple[int, int, float, float]], anchor: int) -> np.ndarray:
    """Fits ratings by maximum likelihood: float64 `[players]` in Elo points, 0 for the anchor.

    A result is the first player, the second, and the points of each against the other. Pairings must connect all
    players.
    """
    expected = [(first, second, own + PRIOR, other + PRIOR) for first, second, own, other in results]
    return _fit(num_players, expected, anchor)


def rate(
    num_players: int, results: Sequence[PairPoints], anchor: int, seed: int, resamples: int
) -> tuple[list[Estimate], list[Estimate]]:
    """Rates players with bootstrap intervals.

    The bootstrap draws pairs of matches, because the two matches of an opening depend on each other. It also draws the
    points of the prior; otherwise ten wins out of ten would have an interval of width 0.

    Returns:
      The rating of each player in Elo points, 0 for the anchor, and the score in [0, 1] of the first player of each
      pairing.
    """
    generator = np.random.default_rng(seed)
    ratings = fit_ratings(num_players, [_totals(result, result.points) for result in results], anchor)
    scores = [sum(result.points) / (2 * len(result.points)) for result in results]
    drawn_ratings, drawn_scores = [], []
    for _ in range(resamples):
        drawn = [_redraw(result, generator) for result in results]
        drawn_ratings.append(_fit(num_players, drawn, anchor))
        drawn_scores.append([own / (own + other) for _, _, own, other in drawn])
    return estimate_by_bootstrap(ratings, drawn_ratings), estimate_by_bootstrap(scores, drawn_scores)


@dataclass(frozen=True)
class SeatPoints:
    """The results of two players against each other, seat by seat.

    Attributes:
      first, second: Indices of the players.
      points: For each opening the points of the first player as `player_0` and as `player_1`, each 0, 1/2 or 1.
    """

    first: int
    second: int
    points: tuple[tuple[float, float], ...]


def rate_by_seat(
    num_players: int, results: Sequence[SeatPoints], anchor: int, seed: int, resamples: int
) -> list[tuple[Estimate, Estimate]] | None:
    """Rates each player in each seat: every match is one between a player in one seat and another in the other.

    Where one seat is stronger, its ratings are higher. The bootstrap is that of `rate`.

    Args:
      num_players: Number of players.
      results: The results of each pairing.
      anchor: The player whose rating as `player_0` is 0.
      seed: Seed of the resampling.
      resamples: Number of resamples.

    Returns:
      The ratings of each player as `player_0` and as `player_1` in Elo points; None if the pairings do not connect the
      seats, as those of two players or of a gauntlet.

    Raises:
      MissingExtraError: If choix is not installed.
    """
    met = [{2 * pair.first + seat, 2 * pair.second + 1 - seat} for pair in results for seat in (0, 1)]
    connected = {2 * anchor}
    for _ in range(2 * num_players):
        connected = connected.union(*(each for each in met if each & connected))
    if len(connected) < 2 * num_players:
        return None
    generator = np.random.default_rng(seed)

    def fit(drawn: Sequence[np.ndarray], prior: Sequence[np.ndarray]) -> np.ndarray:
        rows = []
        for result, points, extra in zip(results, drawn, prior, strict=True):
            count, (as_0, as_1) = len(points), points.sum(0)
            rows.append((2 * result.first, 2 * result.second + 1, as_0 + extra[0], count - as_0 + extra[1]))
            rows.append((2 * result.first + 1, 2 * result.second, as_1 + extra[2], count - as_1 + extra[3]))
        return _fit(2 * num_players, rows, 2 * anchor)

    points = [np.array(result.points) for result in results]
    ratings = fit(points, [np.full(4, PRIOR)] * len(points))
    resampled = [
        fit(
            [each[generator.integers(len(each), size=len(each))] for each in points],
            [np.maximum(generator.gamma(PRIOR, size=4), _LEAST) for _ in points],
        )
        for _ in range(resamples)
    ]
    estimates = estimate_by_bootstrap(ratings, resampled)
    return [(estimates[2 * player], estimates[2 * player + 1]) for player in range(num_players)]


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


def _totals(result: PairPoints, points: Sequence[float]) -> tuple[int, int, float, float]:
    own = float(sum(points))
    return result.first, result.second, own, 2 * len(points) - own


def _redraw(result: PairPoints, generator: np.random.Generator) -> tuple[int, int, float, float]:
    points = generator.choice(result.points, size=len(result.points))
    first, second, own, other = _totals(result, points.tolist())
    more, less = np.maximum(generator.gamma(PRIOR, size=2), _LEAST)
    return first, second, own + float(more), other + float(less)
