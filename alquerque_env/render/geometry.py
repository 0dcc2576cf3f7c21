"""Places of points, lines, arcs and labels of a board in its picture.

A place is `(x, y)` in drawing units, x to the right and y down. The two closest points of every board are `UNIT` apart,
so that sizes of pieces and marks are given in parts of `UNIT`; on a chequered board `UNIT` is the side of a square.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from string import digits

from ..game.board import Board, Line
from .curves import Arc, Place, arcs_along
from .label_places import place_labels

UNIT = 100.0
PIECE_RADIUS = 0.385 * UNIT
# Of the rings round a piece that may move, is in a chain or was dropped, which its name keeps clear of.
RING_RADIUS = 1.22 * PIECE_RADIUS

# From an outermost point to the frame, without and with names beside the points.
_FIELD_MARGIN = 0.66 * UNIT
_NAMED_MARGIN = 0.9 * UNIT

# The fonts of names beside the points, of which a board has the first with room for all names. Where none has, between
# the points of round boards, some names are smaller than the others.
_POINT_NAMES = tuple(size * UNIT for size in (0.5, 0.4, 0.3, 0.25, 0.2))

# The name of a dark square stands in its upper left corner: the font, and how far its middle is from the middle of the
# square.
_SQUARE_NAME = 0.19 * UNIT
_SQUARES_STRIP = 0.45 * UNIT
_TO_CORNER = (0.395 * UNIT, 0.42 * UNIT)


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
    """A board laid out for drawing, as `lay_out` returns it."""

    board: Board
    turned: bool
    stretch: float  # factor by which the distance of rows is enlarged, on boards too flat for their pieces
    size: tuple[float, float]  # width and height of the picture
    places: tuple[Place, ...]
    strip: float  # breadth of the frame, which holds labels and caption
    label_size: float  # height of the font of names in the frame or in squares

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Each edge once, in the order of its points."""
        arcs = dict(_curved_edges(self.board, self.places))
        return tuple(
            Edge((a, b), (self.places[a], self.places[b]), arcs.get((a, b)))
            for a, b in sorted(self.board.edges)
            if a < b
        )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Names of columns and rows in the frame; on boards without columns and rows, names beside the points."""
        if self.board.is_chequered:
            right, down = _TO_CORNER
            corners = [(x - right, y - down) for x, y in self.places]
            return tuple(Label(*named, self.label_size) for named in zip(self.board.labels, corners, strict=True))
        names = columns_and_rows(self.board, self.places)
        if names is None:
            drawn = [edge.places if edge.arc is None else edge.arc.polyline for edge in self.edges]
            placed = place_labels(self.board.labels, self.places, drawn, _POINT_NAMES, RING_RADIUS, self.inside)
            return tuple(Label(text, *found) for text, found in zip(self.board.labels, placed, strict=True))
        columns, rows = names
        bottom = self.size[1] - self.strip / 2
        return tuple(
            [Label(name, (x, bottom), self.label_size) for name, x in columns.items()]
            + [Label(name, (self.strip / 2, y), self.label_size) for name, y in rows.items()]
        )

    @cached_property
    def squares(self) -> tuple[Place, ...]:
        """The upper left corner of every light square of a chequered board, row by row from the top."""
        (left, top), (right, bottom) = self.inside
        dark = {(round((x - left) // UNIT), round((y - top) // UNIT)) for x, y in self.places}
        columns, rows = round((right - left) / UNIT), round((bottom - top) / UNIT)
        every = ((column, row) for row in range(rows) for column in range(columns))
        return tuple((left + at[0] * UNIT, top + at[1] * UNIT) for at in every if at not in dark)

    @property
    def inside(self) -> tuple[Place, Place]:
        """The upper left and lower right corner of the field inside the frame."""
        width, height = self.size
        return (self.strip, self.strip), (width - self.strip, height - self.strip)

    def route(self, origin: int, landing: int) -> tuple[Place, ...]:
        """Returns the way of a step as a polyline: straight, along an arc, or around a bend of the board."""
        if any(origin in line and landing in line for line in self.board.lines):
            return self.places[origin], self.places[landing]
        for circle in self.board.circles:
            if origin in circle and landing in circle:
                return self._round(circle, origin, landing)
        for line in self.board.end_arcs:
            if origin in line and landing in line:
                first, last = sorted((line.index(origin), line.index(landing)))
                way = self._joined(line[first : last + 1], arcs_along(line, self.places)[first:last])
                return way if line[first] == origin else way[::-1]
        for bend in self.board.bends:
            if {origin, landing} == {bend[0], bend[-1]}:
                return self.places[origin], *(self.places[point] for point in bend[1:-1]), self.places[landing]
        return self.places[origin], self.places[landing]

    def is_beside(self, point: int, origin: int, landing: int) -> bool:
        """Whether a point lies off the straight line through two others."""
        (ax, ay), (bx, by), (cx, cy) = (self.places[each] for each in (origin, landing, point))
        return abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) > 1.0

    def _round(self, circle: Line, origin: int, landing: int) -> tuple[Place, ...]:
        """The shorter way round a circle."""
        at = circle.index(origin)
        turned = circle[at:] + circle[:at]
        steps = turned.index(landing)
        if 2 * steps > len(circle):
            return self._round(circle, landing, origin)[::-1]
        return self._joined(turned[: steps + 1], arcs_along(turned, self.places, is_closed=True)[:steps])

    def _joined(self, points: Line, arcs: list[Arc | None]) -> tuple[Place, ...]:
        way = [self.places[points[0]]]
        for point, arc in zip(points[1:], arcs, strict=True):
            way += [self.places[point]] if arc is None else arc.polyline[1:]
        return tuple(way)


@lru_cache(maxsize=32)
def lay_out(board: Board, turned: bool = False) -> Layout:
    """Lays a board out for drawing, rotated by 180 degrees if `turned`. Results are cached."""
    stretch = _stretch(board)
    flat = [(float(x), -y * stretch) for x, y in board.points]
    scale = UNIT / (1 if board.is_chequered else min(math.dist(a, b) for a, b in combinations(flat, 2)))
    places = tuple((x * scale, y * scale) for x, y in flat)
    (left, top), (right, bottom) = _bounds(board, places)
    named = columns_and_rows(board, places) is None
    field_margin = UNIT / 2 if board.is_chequered else _NAMED_MARGIN if named else _FIELD_MARGIN
    inner = (right - left + 2 * field_margin, bottom - top + 2 * field_margin)
    strip, label_size = _label_sizes(board, places, max(inner))
    width, height = inner[0] + 2 * strip, inner[1] + 2 * strip
    margin = strip + field_margin
    upright = ((x - left + margin, y - top + margin) for x, y in places)
    shown = tuple((width - x, height - y) if turned else (x, y) for x, y in upright)
    return Layout(board, turned, stretch, (width, height), shown, strip, label_size)


def _bounds(board: Board, places: tuple[Place, ...]) -> tuple[Place, Place]:
    """Returns the upper left and lower right corner of points and curves; a curve may reach beyond its points."""
    curves = (arc.polyline for _, arc in _curved_edges(board, places))
    xs, ys = zip(*places, *(place for curve in curves for place in curve), strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))


def _label_sizes(board: Board, places: tuple[Place, ...], longer: float) -> tuple[float, float]:
    """Returns the breadth of the frame and the height of the labels' font."""
    # Large boards are shown small, so that their labels need a larger share.
    size = min(max(0.04 * longer, 0.22 * UNIT), 0.4 * UNIT)
    if board.is_chequered:
        return _SQUARES_STRIP, _SQUARE_NAME
    names = columns_and_rows(board, places)
    if names is None:
        return 1.5 * size, size
    gap = min((b - a for a, b in pairwise(sorted(set(names[0].values())))), default=UNIT)
    longest = max(len(name) for name in names[0])
    return 1.5 * size, min(size, gap / (0.75 * longest + 0.15))


def _stretch(board: Board) -> float:
    """Returns the factor at which points of different rows are no closer than neighbours in one row.

    It is 1 unless the board is flat; a board with circles or squares is never stretched.
    """
    if board.circles or board.is_chequered:
        return 1.0
    pairs = list(combinations(board.points, 2))
    in_row = min((abs(a[0] - b[0]) for a, b in pairs if a[1] == b[1]), default=1.0)
    (left, low), (right, high) = ([edge(values) for values in zip(*board.points, strict=True)] for edge in (min, max))
    needed = 1.0
    for (ax, ay), (bx, by) in pairs:
        if ay != by and abs(ax - bx) < in_row:
            needed = max(needed, math.sqrt(in_row**2 - (ax - bx) ** 2) / abs(ay - by))
    return max(1.0, min(needed, (right - left) / (high - low) if high > low else 1.0))


def _curved_edges(board: Board, places: tuple[Place, ...]) -> Iterator[tuple[tuple[int, int], Arc]]:
    """The edges along curved lines, the lower point first, with their arcs."""
    curves = [(line, line) for line in board.end_arcs] + [(line, line + line[:1]) for line in board.circles]
    for line, drawn in curves:
        for (a, b), arc in zip(pairwise(drawn), arcs_along(line, places, drawn != line), strict=True):
            if arc is not None:
                yield (min(a, b), max(a, b)), arc


def columns_and_rows(board: Board, places: tuple[Place, ...]) -> tuple[dict[str, float], dict[str, float]] | None:
    """Returns the x of each column and the y of each row by name, None if the labels do not name columns and rows."""
    columns: dict[str, float] = {}
    rows: dict[str, float] = {}
    for label, (x, y) in zip(board.labels, places, strict=True):
        column = label.rstrip(digits)
        row = label.removeprefix(column)
        if not column:
            return None
        if columns.setdefault(column, x) != x or rows.setdefault(row, y) != y:
            return None
    return columns, rows
