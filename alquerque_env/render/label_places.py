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
_ANGLES = (0, 45, 315, 90, 22.5, 337.5, 67.5, 292.5, 270, 135, 225, 180, 112.5, 157.5, 202.5, 247.5)
# From the ring round a piece to the middle of its label, in parts of the font's height, the best first.
_GAPS = (0.5, 0.8, 1.2, 0.2)
# A label this far from all that it keeps clear of, in parts of the font's height, stands well.
_ENOUGH = 0.12
# What else it keeps clear of: its own piece and an arrow along a line, in parts of the radius of a ring; other labels,
# in parts of the font's height. And how much nearer it is to its own point than to any other, in parts of a ring.
_OWN, _ARROW, _APART, _NEARER = 0.87, 0.15, 0.3, 0.3
# The share of the labels that have the same height.
_MOST = 0.75

Box = tuple[float, float, float, float]


def place_labels(
    labels: Sequence[str],
    places: Sequence[Place],
    lines: Sequence[Sequence[Place]],
    sizes: Sequence[float],
    ring: float,
    inside: tuple[Place, Place],
) -> tuple[tuple[Place, float], ...]:
    """Chooses the middle of each label, between an upper left and a lower right corner, and the height of its font.

    A label keeps clear of arrows along lines, of rings with this radius round other points, of its own piece and of
    other labels, and is nearest to its own point. `sizes` are the heights that are tried, the best first, `lines` the
    polylines of all lines. Most labels have one height; those that have too little room are smaller.
    """
    for first, size in enumerate(sizes):
        found = _place(labels, places, lines, sizes[first:], ring, inside)
        if sum(height == size for _, height in found) >= _MOST * len(found):
            break
    return found


def _place(
    labels: Sequence[str],
    places: Sequence[Place],
    lines: Sequence[Sequence[Place]],
    sizes: Sequence[float],
    ring: float,
    inside: tuple[Place, Place],
) -> tuple[tuple[Place, float], ...]:
    """The middle and the height of each label, in the first size that has enough room."""
    every_dot = [dot for line in lines for dot in _dots(line, 0.25 * sizes[0])]
    chosen: list[Box] = []
    found: list[tuple[Place, float]] = []
    for label, place in zip(labels, places, strict=True):
        best, most, height = (0.0, 0.0, 0.0, 0.0), -math.inf, sizes[0]
        # What lies farther away than a label can reach does not matter.
        reach = 2 * ring + (max(_GAPS) + LETTER * len(label)) * sizes[0]
        dots = [dot for dot in every_dot if math.dist(dot, place) < reach]
        others = [other for other in places if other != place and math.dist(other, place) < reach]
        for size in sizes:
            half = (0.5 * LETTER * len(label) * size, _HALF_HEIGHT * size)
            boxes = (_box(place, math.radians(angle), ring + gap * size, half) for gap in _GAPS for angle in _ANGLES)
            for box in boxes:
                own, nearest = _distance(box, place), min((_distance(box, other) for other in others), default=math.inf)
                room = min(
                    _ENOUGH * size,
                    own - _OWN * ring,
                    nearest - ring,
                    nearest - own - _NEARER * ring,
                    min((_gap(box, other) for other in chosen), default=math.inf) - _APART * size,
                    *(side - corner for side, corner in zip(box[:2], inside[0], strict=True)),
                    *(corner - side for side, corner in zip(box[2:], inside[1], strict=True)),
                )
                if room > most:  # else it is not needed how far away the lines are, which are many dots
                    room = min(room, min((_distance(box, dot) for dot in dots), default=math.inf) - _ARROW * ring)
                if room > most:
                    best, most, height = box, room, size
                if room == _ENOUGH * size:
                    break  # no other has more
            if most >= _ENOUGH * size:
                break
        chosen.append(best)
        left, top, right, bottom = best
        found.append((((left + right) / 2, (top + bottom) / 2), height))
    return tuple(found)


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
