"""Boards drawn at random: grids with or without diagonals, and wheels, of points that lines join."""

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from random import Random
from typing import Any

Place = tuple[float, float]


class BoardDraft:
    """A board in the making. Points that no line joins to the largest part are left out.

    Attributes:
      labels: Names of the points.
      places: Where they lie.
      keys: The lines, arcs, bends and circles, each a list of labels, by key of the board file.
    """

    def __init__(self, places: Mapping[str, Place], **keys: list[list[str]]) -> None:
        self.keys = {"lines": [line for line in keys.pop("lines") if len(line) > 1], **keys}
        joined = self._joined()
        self.places = [place for label, place in places.items() if label in joined]
        self.labels = [label for label in places if label in joined]
        for key, lines in self.keys.items():
            self.keys[key] = [line for line in lines if joined.issuperset(line)]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The pairs of points that are joined, both ways."""
        closed = [circle + circle[:1] for circle in self.keys.get("circles", [])]
        drawn = [*self.keys["lines"], *self.keys.get("end_arcs", []), *closed]
        one_way = [pair for line in drawn for pair in pairwise(line)]
        return one_way + [(b, a) for a, b in one_way]

    def tables(self, title: str) -> dict[str, Any]:
        """The board as a table of a game file."""
        tables: dict[str, Any] = {"title": title}
        rows = sorted({y for _, y in self.places})
        by_row = [sorted(x for x, y in self.places if y == row) for row in rows]
        is_grid = rows == list(range(len(rows))) and self.places == [
            (x, y) for y, row in zip(rows, by_row, strict=True) for x in row
        ]
        tables |= {"rows": by_row} if is_grid else {"points": [list(place) for place in self.places]}
        has_names = any(coordinate != int(coordinate) for place in self.places for coordinate in place)
        if has_names or self.labels != [f"{chr(ord('a') + int(x))}{int(y) + 1}" for x, y in self.places]:
            tables["labels"] = " ".join(self.labels)
        return tables | {key: [" ".join(line) for line in lines] for key, lines in self.keys.items() if lines}

    def _joined(self) -> set[str]:
        """The largest set of points that lines join."""
        parts: list[set[str]] = []
        for a, b in self.edges:
            touched = [part for part in parts if a in part or b in part]
            parts = [part for part in parts if part not in touched] + [{a, b}.union(*touched)]
        return max(parts, key=len, default=set())


Way = tuple[int, int]
ACROSS: tuple[Way, ...] = ((1, 0), (0, 1))
DIAGONAL: tuple[Way, ...] = ((1, 1), (1, -1))


def grid(
    chance: Random,
    places: Iterable[tuple[int, int]],
    ways: tuple[Way, ...],
    *,
    half_the_diagonals: bool = False,
    cuts: float = 0.0,
    numbers: bool = False,
) -> BoardDraft:
    """A board of points in rows and columns.

    Args:
      chance: Draws where lines are interrupted.
      places: Columns and rows of the points.
      ways: The directions of the lines.
      half_the_diagonals: Whether diagonals join every other point alone, as on the Alquerque board.
      cuts: The probability that a line is interrupted at a point.
      numbers: Whether points are called by numbers.
    """
    labels = {
        (x, y): str(number + 1) if numbers else f"{chr(ord('a') + x)}{y + 1}" for number, (x, y) in enumerate(places)
    }
    lines = []
    for dx, dy in ways:
        for x, y in labels:
            if (x - dx, y - dy) in labels or (dx * dy and half_the_diagonals and (x + y) % 2):
                continue
            line = [labels[x, y]]
            while (x := x + dx, y := y + dy) in labels:
                if chance.random() < cuts:
                    lines.append(line)
                    line = []
                line.append(labels[x, y])
            lines.append(line)
    return BoardDraft({labels[place]: place for place in labels}, lines=lines)


def wheel(chance: Random, spokes: int, rings: int, tilt: float, kinds: tuple[str, ...], whole: float) -> BoardDraft:
    """A board of rings round a middle, and spokes.

    Args:
      chance: Draws which spokes are there and how far they go.
      spokes: How many, 3 to 8.
      rings: How many, each with a point on each spoke.
      tilt: The angle of the first spoke.
      kinds: What each ring may be: "circles", "end_arcs", or "" for none.
      whole: The probability that a spoke is there, and that it reaches the middle.
    """
    places: dict[str, Place] = {"m0": (0, 0)}
    names = [[f"{'abcdefgh'[spoke]}{ring + 1}" for spoke in range(spokes)] for ring in range(rings)]
    for ring, row in enumerate(names):
        for spoke, label in enumerate(row):
            angle = tilt + 2 * math.pi * spoke / spokes
            places[label] = round((ring + 1) * math.cos(angle), 3), round((ring + 1) * math.sin(angle), 3)
    is_through = spokes % 2 == 0 and chance.random() < 0.5
    lines = []
    for spoke in range(spokes):
        outward = [row[spoke] for row in names]
        if is_through and spoke < spokes // 2:
            lines.append([*(row[spoke + spokes // 2] for row in names[::-1]), "m0", *outward])
        elif not is_through and chance.random() < whole:
            lines.append(["m0", *outward] if chance.random() < whole else outward)
    drawn = [chance.choice(kinds) for _ in names]
    found = {kind: [row for row, other in zip(names, drawn, strict=True) if other == kind] for kind in drawn if kind}
    return BoardDraft(places, lines=lines, **found)


def half_turn(places: Mapping[str, Place]) -> dict[str, str]:
    """The point on the other side of the middle, for each point; empty if one has none."""
    middle = [sum(place[axis] for place in places.values()) / len(places) for axis in (0, 1)]
    image = {}
    for label, (x, y) in places.items():
        opposite = 2 * middle[0] - x, 2 * middle[1] - y
        near = [other for other, place in places.items() if math.dist(place, opposite) < 0.01]
        if not near:
            return {}
        image[label] = near[0]
    return image
