"""The patterns of a game: found from its board and its symmetries, so that none is written down."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...game.game import Game
from ...game.symmetry import Symmetry

MAN_DIGITS, KING_DIGITS = 3, 5
"""What can stand on a point, for patterns that see men only, and for those that see kings too."""
_MOST_POINTS = {MAN_DIGITS: 10, KING_DIGITS: 6}

Points = tuple[int, ...]


class Pattern(NamedTuple):
    """A pattern: its points in order, the digits of its numbers, and the first pattern that has the same weights."""

    points: Points
    digits: int
    shared: int

    @property
    def size(self) -> int:
        """How many weights it has."""
        return self.digits ** len(self.points)


def find_patterns(game: Game) -> list[Pattern]:
    """The patterns of a game, those that see men only first.

    Men are seen in the points around each point and in neighbouring rows and columns, kings on the lines of the board.
    Each pattern comes with its images under the symmetries of the game, which share its weights: so images of a
    position have equal values.
    """
    found = _with_images(game, {*_surroundings(game), *_bands(game)}, MAN_DIGITS, 0)
    if game.rules.promotion != "none":
        lines = {part for line in game.board.lines for part in _runs(line, _MOST_POINTS[KING_DIGITS])}
        found += _with_images(game, lines, KING_DIGITS, len(found))
    return found


def _with_images(game: Game, sets: set[Points], digits: int, first: int) -> list[Pattern]:
    """Patterns of the sets of points that do not lie within another set or its image."""
    images = {points: dict.fromkeys(_image(points, each) for each in game.symmetries) for points in sets}
    every = {frozenset(image) for those in images.values() for image in those}
    found: list[Pattern] = []
    known: set[frozenset[int]] = set()
    for points in sorted(sets):
        if frozenset(points) not in known and not any(set(points) < other for other in every):
            known |= set(map(frozenset, images[points]))
            shared = first + len(found)
            found += [Pattern(image, digits, shared) for image in images[points]]
    return found


def _image(points: Points, symmetry: Symmetry) -> Points:
    return tuple(symmetry.points[point] for point in points)


def _surroundings(game: Game) -> Iterator[Points]:
    """For each point its neighbours within the largest distance at which no set has too many points."""
    places = game.board.points
    reaches = sorted({_distance(one, other) for one in places for other in places})
    best: list[Points] = []
    for reach in reaches:
        near = [tuple(p for p, place in enumerate(places) if _distance(place, one) <= reach) for one in places]
        if max(map(len, near)) > _MOST_POINTS[MAN_DIGITS]:
            break
        best = near
    yield from best


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _bands(game: Game) -> Iterator[Points]:
    """The points of each two neighbouring rows or columns, or where they are too many all runs along them."""
    places = game.board.points
    for axis in (0, 1):
        levels = sorted({place[axis] for place in places})
        for levels_of_band in pairwise(levels):
            band = [point for point, place in enumerate(places) if place[axis] in levels_of_band]
            yield from _runs(sorted(band, key=lambda point: places[point][1 - axis]), _MOST_POINTS[MAN_DIGITS])


def _runs(points: Sequence[int], most: int) -> Iterator[Points]:
    """The points, or where they are too many all runs of as many as there may be."""
    for first in range(max(1, len(points) - most + 1)):
        yield tuple(points[first : first + most])
