"""Places of points, lines, arcs and labels of a board in its picture.

A place is `(x, y)` in drawing units, x to the right and y down. The two closest points of every board are `UNIT` apart,
so that sizes of pieces and marks are given in parts of `UNIT`.
"""

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, pairwise

from ..game.board import Board

UNIT = 100.0
PIECE_RADIUS = 0.385 * UNIT

Place = tuple[float, float]

# From an outermost point to the frame.
_FIELD_MARGIN = 0.66 * UNIT
_ARC_STEP = math.radians(3)


@dataclass(frozen=True)
class Arc:
    """A part of a circle; `sweep` is the angle in radians, clockwise in the picture where positive."""

    start: Place
    end: Place
    centre: Place
    radius: float
    sweep: float

    @property
    def polyline(self) -> tuple[Place, ...]:
        """Places along the arc, close enough together to draw it with straight strokes."""
        first = math.atan2(self.start[1] - self.centre[1], self.start[0] - self.centre[0])
        pieces = max(2, math.ceil(abs(self.sweep) / _ARC_STEP))
        angles = (first + self.sweep * i / pieces for i in range(1, pieces))
        between = (
            (self.centre[0] + self.radius * math.cos(angle), self.centre[1] + self.radius * math.sin(angle))
            for angle in angles
        )
        return (self.start, *between, self.end)


@dataclass(frozen=True)
class Edge:
    """A part of a drawn line between neighbouring points, the lower number first; with its arc if it is curved."""

    points: tuple[int, int]
    places: tuple[Place, Place]
    arc: Arc | None = None


@dataclass(frozen=True)
class Label:
    """A name written on the picture: its text, the middle of it, and the height of the font."""

    text: str
    place: Place
    size: float


@dataclass(frozen=True)
class Layout:
    """A board laid out for drawing, as `lay_out` returns it.

    Attributes:
      board: The board.
      turned: Whether it is rotated by 180 degrees.
      stretch: Factor by which the distance of rows is enlarged, on boards too flat for their pieces.
      size: Width and height of the picture.
      places: The place of each point.
      strip: Breadth of the frame, which holds labels and caption.
      label_size: Height of the labels' font.
    """

    board: Board
    turned: bool
    stretch: float
    size: tuple[float, float]
    places: tuple[Place, ...]
    strip: float
    label_size: float

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Each edge once, in the order of its points."""
        arcs = {
            tuple(sorted(pair)): arc
            for line in self.board.end_arcs
            for pair, arc in zip(pairwise(line), _arcs(line, self.places), strict=True)
        }
        return tuple(
            Edge((a, b), (self.places[a], self.places[b]), arcs.get((a, b)))
            for a, b in sorted(self.board.edges)
            if a < b
        )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Names of columns and rows in the frame; on boards without columns and rows, names beside the points."""
        names = columns_and_rows(self.board, self.places)
        if names is None:
            shift = 0.41 * UNIT
            return tuple(
                Label(name, (x + shift, y + shift), self.label_size)
                for name, (x, y) in zip(self.board.labels, self.places, strict=True)
            )
        columns, rows = names
        bottom = self.size[1] - self.strip / 2
        return tuple(
            [Label(name, (x, bottom), self.label_size) for name, x in columns.items()]
            + [Label(name, (self.strip / 2, y), self.label_size) for name, y in rows.items()]
        )

    def route(self, origin: int, landing: int) -> tuple[Place, ...]:
        """Returns the way of a step as a polyline: straight, along an arc, or around a bend of the board."""
        if any(origin in line and landing in line for line in self.board.lines):
            return self.places[origin], self.places[landing]
        for line in self.board.end_arcs:
            if origin in line and landing in line:
                return self._along(line, origin, landing)
        for bend in self.board.bends:
            if {origin, landing} == {bend[0], bend[-1]}:
                return self.places[origin], *(self.places[point] for point in bend[1:-1]), self.places[landing]
        return self.places[origin], self.places[landing]

    def _along(self, line: tuple[int, ...], origin: int, landing: int) -> tuple[Place, ...]:
        starts = [i for i, point in enumerate(line) if point == origin]
        ends = [i for i, point in enumerate(line) if point == landing]
        start, end = min(((i, j) for i in starts for j in ends), key=lambda ends: abs(ends[0] - ends[1]))
        low, high = sorted((start, end))
        way = [self.places[line[low]]]
        for (_, b), arc in list(zip(pairwise(line), _arcs(line, self.places), strict=True))[low:high]:
            way += [self.places[b]] if arc is None else arc.polyline[1:]
        return tuple(way if start < end else way[::-1])


@lru_cache(maxsize=32)
def lay_out(board: Board, turned: bool = False) -> Layout:
    """Lays a board out for drawing, rotated by 180 degrees if `turned`. Results are cached."""
    stretch = _stretch(board)
    flat = [(float(x), -y * stretch) for x, y in board.points]
    scale = UNIT / min(math.dist(a, b) for a, b in combinations(flat, 2))
    places = tuple((x * scale, y * scale) for x, y in flat)
    (left, top), (right, bottom) = _bounds(board, places)
    inner = (right - left + 2 * _FIELD_MARGIN, bottom - top + 2 * _FIELD_MARGIN)
    strip, label_size = _label_sizes(board, places, max(inner))
    width, height = inner[0] + 2 * strip, inner[1] + 2 * strip
    margin = strip + _FIELD_MARGIN
    upright = ((x - left + margin, y - top + margin) for x, y in places)
    shown = tuple((width - x, height - y) if turned else (x, y) for x, y in upright)
    return Layout(board, turned, stretch, (width, height), shown, strip, label_size)


def _bounds(board: Board, places: tuple[Place, ...]) -> tuple[Place, Place]:
    """Returns the upper left and lower right corner of points and curves; a curve may reach beyond its points."""
    curves = (arc.polyline for line in board.end_arcs for arc in _arcs(line, places) if arc is not None)
    xs, ys = zip(*places, *chain.from_iterable(curves), strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))


def _label_sizes(board: Board, places: tuple[Place, ...], longer: float) -> tuple[float, float]:
    """Returns the breadth of the frame and the height of the labels' font."""
    # Large boards are shown small, so that their labels need a larger share.
    size = min(max(0.04 * longer, 0.22 * UNIT), 0.4 * UNIT)
    names = columns_and_rows(board, places)
    if names is None:
        return 1.5 * size, min(max(0.025 * longer, 0.2 * UNIT), 0.3 * UNIT)
    gap = min((b - a for a, b in pairwise(sorted(set(names[0].values())))), default=UNIT)
    longest = max(len(name) for name in names[0])
    return 1.5 * size, min(size, gap / (0.75 * longest + 0.15))


def _stretch(board: Board) -> float:
    """Returns the factor at which points of different rows are no closer than neighbours in one row, 1 unless flat."""
    pairs = list(combinations(board.points, 2))
    in_row = min((abs(a[0] - b[0]) for a, b in pairs if a[1] == b[1]), default=1.0)
    (left, low), (right, high) = ([edge(values) for values in zip(*board.points, strict=True)] for edge in (min, max))
    needed = 1.0
    for (ax, ay), (bx, by) in pairs:
        if ay != by and abs(ax - bx) < in_row:
            needed = max(needed, math.sqrt(in_row**2 - (ax - bx) ** 2) / abs(ay - by))
    return max(1.0, min(needed, (right - left) / (high - low) if high > low else 1.0))


def columns_and_rows(board: Board, places: tuple[Place, ...]) -> tuple[dict[str, float], dict[str, float]] | None:
    """Returns the x of each column and the y of each row by name, None if the labels do not name columns and rows."""
    columns: dict[str, float] = {}
    rows: dict[str, float] = {}
    for label, (x, y) in zip(board.labels, places, strict=True):
        parts = re.fullmatch(r"([a-z]+)(\d+)", label)
        if parts is None:
            return None
        column, row = parts.groups()
        if columns.setdefault(column, x) != x or rows.setdefault(row, y) != y:
            return None
    return columns, rows


def _arcs(line: tuple[int, ...], places: tuple[Place, ...]) -> list[Arc | None]:
    """Returns the arc of each edge along a curved line; each goes through three successive points of the line."""
    arcs = []
    for i in range(len(line) - 1):
        first = max(0, min(i, len(line) - 3))
        support = [places[point] for point in line[first : first + 3]]
        arcs.append(_arc(places[line[i]], places[line[i + 1]], support))
    return arcs


def _arc(start: Place, end: Place, support: list[Place]) -> Arc | None:
    """Returns the arc between two places on the circle through three; None if the three lie on a straight line."""
    (ax, ay), (bx, by), (cx, cy) = support
    cross = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    if abs(cross) < 1e-6 * UNIT**2:
        return None
    a, b, c = (x * x + y * y for x, y in support)
    middle = (
        (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / (2 * cross),
        (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / (2 * cross),
    )
    first = math.atan2(start[1] - middle[1], start[0] - middle[0])
    last = math.atan2(end[1] - middle[1], end[0] - middle[0])
    turn = (last - first) % math.tau
    return Arc(start, end, middle, math.dist(middle, start), turn if cross > 0 else turn - math.tau)
