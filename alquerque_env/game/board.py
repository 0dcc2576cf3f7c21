"""A board: points, the lines drawn through them, and its symmetries."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..errors import RulesError, did_you_mean, shorten
from .kernel_arrays import WORD_BITS

Line = tuple[int, ...]
Point = tuple[float, float]
Permutation = tuple[int, ...]

MOST_POINTS = 2 * WORD_BITS
"""One bit a point in two words, see `Board.is_wide`."""

LABEL = "[a-z]*[0-9]+"
"""A regular expression for the name of a point. A text of steps can only be read because every name ends in a digit."""

TOLERANCE = 0.005
"""How far a coordinate may lie from its exact place, because files have rounded numbers such as 0.866."""

PICTURE_SIZE = 480
"""Length of the longer side of a picture in pixels, where the board does not say another."""

# Maps of the plane: z goes to the factor times z, or times the mirror image of z, as complex numbers. Those of a square
# come first in this order: trained networks and recorded runs depend on the order of a board's symmetries.
_SQUARE_MAPS = (
    *((1, False), (-1, False), (-1, True), (1, True)),
    *((1j, True), (1j, False), (-1j, False), (-1j, True)),
)


@dataclass(frozen=True)
class Board:
    """Points and the lines that join them.

    Points are numbered from 0; on most boards row by row from South, West to East.

    Attributes:
      title: The board's name for people.
      points: Coordinates `(x, y)` of every point; x grows to the East, y to the North.
      lines: Straight lines, each the points along it; neighbours on a line are joined.
      end_arcs: Curved lines round an end of the board.
      bends: Triples of points; a drawn line bends at the middle one.
      source: Where the board is described.
      circles: Closed curved lines, each the points along it; the last one is joined with the first.
      own_labels: Names of the points, empty if column and row name them.
      picture_size: Length of the longer side of pictures in pixels, unless a caller wants another.
      is_chequered: Whether pictures show a chequered board, with the points as its dark squares, instead of lines.
    """

    title: str
    points: tuple[Point, ...]
    lines: tuple[Line, ...]
    end_arcs: tuple[Line, ...] = ()
    bends: tuple[Line, ...] = ()
    source: str = ""
    circles: tuple[Line, ...] = ()
    own_labels: tuple[str, ...] = ()
    picture_size: int = PICTURE_SIZE
    is_chequered: bool = False

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Short names of the points: their own, or column letter and row number, `a1` for `(0, 0)`.

        Columns and rows are counted from the smallest coordinate if that is negative.
        """
        if self.own_labels:
            return self.own_labels
        left, low = (min(0, *values) for values in zip(*self.points, strict=True))
        return tuple(f"{_column_name(round(x - left))}{round(y - low) + 1}" for x, y in self.points)

    @property
    def is_wide(self) -> bool:
        """Whether there are more points than a word has bits, so that the game is played without compiled kernels."""
        return len(self.points) > WORD_BITS

    @cached_property
    def index(self) -> dict[str, int]:
        """Point number of each label."""
        return {label: point for point, label in enumerate(self.labels)}

    @cached_property
    def grid(self) -> tuple[tuple[int, int], ...]:
        """Column and row of each point on a grid, from 0.

        These are the coordinates, counted from the smallest. Where some are no whole numbers, every x that occurs is a
        column and every y a row, in ascending order.
        """
        xs, ys = zip(*self.points, strict=True)
        return tuple(zip(_places_in(xs), _places_in(ys), strict=True))

    @property
    def has_numbers(self) -> bool:
        """Whether points have numbers for names, which somebody who types may confuse with other numbers."""
        return any(label.isdecimal() for label in self.labels)

    @cached_property
    def longest_line(self) -> Line:
        """The longest line or circle, for examples; a bent way over three points if no line has as many."""
        longest = max((*self.lines, *self.circles), key=len)
        if len(longest) < 3:
            for way in (longest, longest[::-1]):
                for point in self.neighbours[way[-1]]:
                    if point not in way:
                        return (*way, point)
        return longest

    @cached_property
    def edges(self) -> frozenset[tuple[int, int]]:
        """Ordered pairs of points joined directly by a drawn line, both ways round."""
        closed = (circle + circle[:1] for circle in self.circles)
        drawn = [pair for line in (*self.lines, *self.end_arcs, *self.bends, *closed) for pair in pairwise(line)]
        return frozenset(drawn) | frozenset((b, a) for a, b in drawn)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each point the points one step away, in ascending order."""
        return tuple(tuple(sorted(b for a, b in self.edges if a == point)) for point in range(len(self.points)))

    def reached_from(self, point: int) -> frozenset[int]:
        """The points to which lines lead from a point, the point itself included."""
        found, ahead = {point}, deque([point])
        while ahead:
            new = set(self.neighbours[ahead.popleft()]) - found
            found |= new
            ahead += new
        return frozenset(found)

    @cached_property
    def reflections(self) -> tuple[Permutation, ...]:
        """The board's symmetries, the identity first.

        A symmetry is a rotation or reflection of the plane that maps points to points and drawn lines to drawn lines;
        entry `i` of a permutation is the point that point `i` goes to.
        """
        found: dict[Permutation, None] = {}
        for factor, is_mirrored in self._plane_maps():
            if (permutation := self._symmetry(factor, is_mirrored)) is not None:
                found[permutation] = None
        return tuple(found)

    @cached_property
    def half_turn(self) -> Permutation | None:
        """The rotation by 180 degrees if it is a symmetry of the board, else None."""
        return self._symmetry(-1, False)

    def _plane_maps(self) -> Iterator[tuple[complex, bool]]:
        """Candidate symmetries: the maps that keep the distance of an outermost point from the centre."""
        yield from _SQUARE_MAPS
        outermost = max(self._places, key=abs)
        for place in self._places:
            if abs(abs(place) - abs(outermost)) < 2 * TOLERANCE:
                for is_mirrored in (False, True):
                    factor = place / (outermost.conjugate() if is_mirrored else outermost)
                    yield factor / abs(factor), is_mirrored

    def _symmetry(self, factor: complex, is_mirrored: bool) -> Permutation | None:
        """The permutation of the points by a map of the plane round the middle; None if it is no symmetry."""
        images = []
        for place in self._places:
            moved = factor * (place.conjugate() if is_mirrored else place)
            nearest = min(range(len(self._places)), key=lambda point: abs(self._places[point] - moved))
            if abs(self._places[nearest] - moved) > 4 * TOLERANCE:
                return None
            images.append(nearest)
        return tuple(images) if self._permuted(images) == self._drawing else None

    @cached_property
    def _places(self) -> tuple[complex, ...]:
        """The points as complex numbers, their mean at 0."""
        places = [complex(x, y) for x, y in self.points]
        middle = sum(places) / len(places)
        return tuple(place - middle for place in places)

    @cached_property
    def _drawing(self) -> tuple[frozenset[Line], ...]:
        return self._permuted(range(len(self.points)))

    def _permuted(self, permutation: Sequence[int]) -> tuple[frozenset[Line], ...]:
        """The lines of the board with its points permuted, whichever end they begin at."""
        kinds = (self.lines, self.end_arcs, self.bends, self.circles)
        moved = [[tuple(permutation[point] for point in line) for line in lines] for lines in kinds]
        return (*(frozenset(map(one_way, lines)) for lines in moved[:3]), frozenset(map(from_least, moved[3])))


def find_points(board: Board, text: str, file: str, path: str) -> tuple[int, ...]:
    """The points of labels separated by spaces.

    Raises:
      RulesError: If a label is none of the board.
    """
    for label in text.split():
        if label not in board.index:
            near = did_you_mean(label, board.labels)
            raise RulesError(
                f"{file}: {path} names {shorten(repr(label))}, which is no point of the board{near} "
                f"(known: {', '.join(board.labels)})"
            )
    return tuple(board.index[label] for label in text.split())


def one_way(line: Line) -> Line:
    """The line in that of its two directions which comes first in order."""
    return min(line, line[::-1])


def from_least(circle: Line) -> Line:
    """The circle from its least point on, in that of its two directions which comes first in order."""
    at = circle.index(min(circle))
    least, *others = circle[at:] + circle[:at]
    return least, *one_way(tuple(others))


def _places_in(coordinates: Sequence[float]) -> list[int]:
    if all(isinstance(each, int) for each in coordinates):
        return [int(each - min(coordinates)) for each in coordinates]
    occurring: list[float] = []
    for each in sorted(coordinates):
        if not occurring or each - occurring[-1] > 2 * TOLERANCE:
            occurring.append(each)
    return [sum(other <= each + TOLERANCE for other in occurring) - 1 for each in coordinates]


def _column_name(x: int) -> str:
    name = ""
    x += 1
    while x > 0:
        x, letter = divmod(x - 1, 26)
        name = chr(ord("a") + letter) + name
    return name
