"""Arcs of circles through the points of a board's curved lines."""

import math
from dataclasses import dataclass

from ..game.board import Line

Place = tuple[float, float]

_STEP = math.radians(3)
# Three places whose triangle is this small in parts of its longest side squared lie on a straight line.
_FLAT = 1e-6


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
        pieces = max(2, math.ceil(abs(self.sweep) / _STEP))
        angles = (first + self.sweep * i / pieces for i in range(1, pieces))
        between = (
            (self.centre[0] + self.radius * math.cos(angle), self.centre[1] + self.radius * math.sin(angle))
            for angle in angles
        )
        return (self.start, *between, self.end)


def arcs_along(line: Line, places: tuple[Place, ...], is_closed: bool = False) -> list[Arc | None]:
    """Returns the arc of each edge along a curved line, perhaps a closed one; None where it is straight.

    Each arc goes through three successive points of the line. `places` are those of all points of the board.
    """
    if is_closed:
        wound = line + line[:2]
        return [_arc(tuple(places[point] for point in wound[i : i + 3])) for i in range(len(line))]
    found = []
    for i in range(len(line) - 1):
        first = max(0, min(i, len(line) - 3))
        support = tuple(places[point] for point in line[first : first + 3])
        found.append(_arc(support, i - first))
    return found


def _arc(support: tuple[Place, ...], edge: int = 0) -> Arc | None:
    """Returns the arc between two successive places on the circle through three; None if these lie on a line."""
    (ax, ay), (bx, by), (cx, cy) = support
    cross = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    if abs(cross) < _FLAT * max(math.dist(one, other) for one in support for other in support) ** 2:
        return None
    a, b, c = (x * x + y * y for x, y in support)
    middle = (
        (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / (2 * cross),
        (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / (2 * cross),
    )
    start, end = support[edge], support[edge + 1]
    first = math.atan2(start[1] - middle[1], start[0] - middle[0])
    last = math.atan2(end[1] - middle[1], end[0] - middle[0])
    turn = (last - first) % math.tau
    return Arc(start, end, middle, math.dist(middle, start), turn if cross > 0 else turn - math.tau)
