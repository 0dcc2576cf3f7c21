"""Finds places for names beside the points of a board, clear of lines, pieces and each other."""

import math
from collections.abc import Sequence
from itertools import pairwise

from .curves import Place

# Mean breadth of a letter in parts of the font's height, and half the height of a letter.
LETTER = 0.56
_HALF_HEIGHT = 0.38
# Directions are tried in this order, so that the names of a regular board all stand on one side: angles in degrees,
# clockwise in the picture from the right.
_ANGLES = (0, 45, 90, 135, 180, 225, 270, 315, 22.5, 67.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5)
# From the ring round a piece to the middle of its label, in parts of the font's height, the best first.
_GAPS = (0.5, 0.8, 1.2, 0.2)
# A label this far from everything, in parts of the font's height, stands well.
_ENOUGH = 0.12

Box = tuple[float, float, float, float]


def place_labels(
    labels: Sequence[str],
    places: Sequence[Place],
    lines: Sequence[Sequence[Place]],
    sizes: Sequence[float],
    radii: tuple[float, float],
    inside: tuple[Place, Place],
) -> tuple[float, tuple[Place, ...]]:
    """Chooses the height of the font, and the middle of each label between an upper left and a lower right corner.

    A label keeps clear of lines, of pieces (the first of `radii`) on other points, and of the ring (the second) round
    its own. `sizes` are the heights that are tried, the best first, `lines` the polylines of all lines.
    """
    for size in sizes:
        found, room = _place(labels, places, lines, size, radii, inside)
        if room >= _ENOUGH * size:
            break
    return size, found


def _place(
    labels: Sequence[str],
    places: Sequence[Place],
    lines: Sequence[Sequence[Place]],
    size: float,
    radii: tuple[float, float],
    inside: tuple[Place, Place],
) -> tuple[tuple[Place, ...], float]:
    """The places of labels of a size, and the least distance of one to what is nearest, no more than enough."""
    dots = [dot for line in lines for dot in _dots(line, 0.25 * size)]
    piece, ring = radii
    chosen: list[Box] = []
    least = math.inf
    for label, place in zip(labels, places, strict=True):
        half = (0.5 * LETTER * len(label) * size, _HALF_HEIGHT * size)
        reach = ring + (1 + max(_GAPS)) * size + half[0]
        # What lies farther away than a label can reach does not matter.
        near_dots = [dot for dot in dots if math.dist(dot, place) < reach]
        near_places = [other for other in places if math.dist(other, place) < reach + piece]
        boxes = [_box(place, math.radians(angle), ring + gap * size, half) for gap in _GAPS for angle in _ANGLES]

        def room(box: Box, dots: list[Place] = near_dots, others: list[Place] = near_places) -> float:
            """The distance to what is nearest, no more than enough."""
            return min(
                _ENOUGH * size,
                min((_distance(box, dot) for dot in dots), default=math.inf),
                min(_distance(box, other) for other in others) - piece,
                min((_gap(box, other) for other in chosen), default=math.inf),
                *(side - corner for side, corner in zip(box[:2], inside[0], strict=True)),
                *(corner - side for side, corner in zip(box[2:], inside[1], strict=True)),
            )

        best, most = boxes[0], -math.inf
        for box in boxes:
            if (found := room(box)) > most:
                best, most = box, found
            if most == _ENOUGH * size:
                break  # no other has more
        least = min(least, most)
        chosen.append(best)
    return tuple(((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in chosen), least


def _dots(line: Sequence[Place], gap: float) -> list[Place]:
    """Places along a polyline, no farther apart than the gap."""
    found = [line[0]]
    for start, end in pairwise(line):
        pieces = max(1, math.ceil(math.dist(start, end) / gap))
        shares = (i / pieces for i in range(1, pieces + 1))
        found += [(start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share) for share in shares]
    return found


def _box(place: Place, angle: float, distance: float, half: Place) -> Box:
    """The box of a label whose nearest side is about as far from the place as its middle from above."""
    across, down = math.cos(angle), math.sin(angle)
    # A broad label beside a point needs more distance than one above it.
    away = distance + abs(across) * max(0.0, half[0] - half[1])
    x, y = place[0] + across * away, place[1] + down * away
    return x - half[0], y - half[1], x + half[0], y + half[1]


def _distance(box: Box, place: Place) -> float:
    left, top, right, bottom = box
    aside = max(left - place[0], place[0] - right, 0.0)
    return math.hypot(aside, max(top - place[1], place[1] - bottom, 0.0))


def _gap(box: Box, other: Box) -> float:
    aside = max(box[0] - other[2], other[0] - box[2])
    above = max(box[1] - other[3], other[1] - box[3])
    return max(aside, above)
