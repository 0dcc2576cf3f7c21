"""Wins, draws and losses: of a player in some matches, and of two players against each other."""

from collections.abc import Iterable
from dataclasses import dataclass

from .intervals import Estimate, estimate_share

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
