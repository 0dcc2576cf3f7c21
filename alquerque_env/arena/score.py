"""Wins, draws and losses, of a player and of two against each other; and confidence intervals of 95%.

The intervals are Wilson's for shares, by bootstrap for all other numbers.

Sources: Wilson 1927, Journal of the American Statistical Association 22, 209-212; Efron 1979, Bootstrap Methods,
percentiles.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
_QUANTILE = 1.959964  # quantile of the normal distribution for 95%, two-sided


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% confidence interval."""

    value: float
    low: float
    high: float


def estimate_share(successes: float, trials: int) -> Estimate:
    """Estimates a share of one trial or more with Wilson's interval, which also holds for shares near 0 and 1."""
    share, width = successes / trials, _QUANTILE**2 / trials
    centre = share + width / 2
    spread = _QUANTILE * (share * (1 - share) / trials + width / (4 * trials)) ** 0.5
    return Estimate(share, max(0.0, (centre - spread) / (1 + width)), min(1.0, (centre + spread) / (1 + width)))


def estimate_mean(values: Sequence[float], worst: float, seed: int, resamples: int) -> Estimate:
    """Estimates the mean of a sample with a bootstrap interval.

    The resamples also draw from one value `worst`, so that an outcome that was never seen is not ruled out.
    """
    seen = np.array(values, np.float64)
    places = np.random.default_rng(seed).integers(len(seen) + 1, size=(resamples, len(seen)))
    means = np.append(seen, worst)[places].mean(1)
    (mean,) = estimate_by_bootstrap([float(seen.mean())], means[:, None])
    return mean


def estimate_by_bootstrap(
    values: Sequence[float] | np.ndarray, drawn: Sequence[Sequence[float] | np.ndarray] | np.ndarray
) -> list[Estimate]:
    """Returns estimates of `[N]` numbers with the percentiles of their `[resamples, N]` resamples."""
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(np.array(drawn), [tail, 100 - tail], axis=0)
    # Resamples that draw from more than the data can lie on one side of the value.
    return [
        Estimate(float(value), float(min(value, least)), float(max(value, most)))
        for value, least, most in zip(values, low, high, strict=True)
    ]


_SIGNS = {"-": 0.0, "=": 0.5, "+": 1.0}  # a lost, a drawn and a won match


@dataclass(frozen=True)
class Score:
    """The results of a player in some matches."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, points: Iterable[float]) -> "Score":
        """Returns the score of matches with some points, each 1, 1/2 or 0."""
        found = list(points)
        return cls(found.count(1), found.count(0.5), found.count(0))

    @property
    def games(self) -> int:
        """Number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point for a win and half a point for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> Estimate:
        """Share of points. With draws the interval, that of a share of wins, is too wide rather than too narrow."""
        return estimate_share(self.points, self.games)

    @property
    def mirrored(self) -> "Score":
        """The results of the opponent."""
        return Score(self.losses, self.draws, self.wins)

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class Meeting:
    """The matches of two players against each other, each opening from both seats.

    Attributes:
      first, second: Their names.
      points: For each opening the points of the first player as `player_0` and as `player_1`, each 0, 1/2 or 1.
    """

    first: str
    second: str
    points: tuple[tuple[float, float], ...]

    @classmethod
    def read(cls, first: str, second: str, signs: str) -> "Meeting":
        """Returns the matches with the points of a text, see `signs`; raises `ValueError` for another text."""
        if len(signs) % 2 or not set(signs) <= set(_SIGNS):
            raise ValueError(f"{signs[:20]!r} is not two signs for each opening, of {' '.join(_SIGNS)}")
        points = [_SIGNS[sign] for sign in signs]
        return cls(first, second, tuple(zip(points[::2], points[1::2], strict=True)))

    @property
    def signs(self) -> str:
        """The points as text: `+`, `=` and `-` for a match won, drawn and lost by the first player, in order."""
        names = {points: sign for sign, points in _SIGNS.items()}
        return "".join(names[points] for pair in self.points for points in pair)

    @property
    def seats(self) -> tuple[Score, Score]:
        """The results of the first player as `player_0` and as `player_1`."""
        return Score.of(pair[0] for pair in self.points), Score.of(pair[1] for pair in self.points)

    @property
    def total(self) -> Score:
        """The results of the first player."""
        return self.seats[0] + self.seats[1]

    @property
    def pairs(self) -> tuple[int, ...]:
        """Numbers of openings with 0, 1/2, 1, 3/2 and 2 points from both seats."""
        sums = [sum(pair) for pair in self.points]
        return tuple(sums.count(place / 2) for place in range(5))

    def seen_from(self, name: str) -> "Meeting":
        """Returns the same matches with this player first."""
        if name == self.first:
            return self
        return Meeting(self.second, self.first, tuple((1 - second, 1 - first) for first, second in self.points))
