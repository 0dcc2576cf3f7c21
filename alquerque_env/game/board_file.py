"""Board files: boards as data, read and checked."""

import cmath
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Annotated, Any

from ..errors import RulesError
from ..files.schema import Key, parse, show
from .board import LABEL, MOST_POINTS, PICTURE_SIZE, TOLERANCE, Board, Line, Point, find_points, from_least, one_way

# Points closer than this cannot be told apart in a picture, nor from a rounded coordinate.
_LEAST_DISTANCE = 0.1
_Coordinate = Annotated[float, Key(low=-99, high=99)]


@dataclass(frozen=True, kw_only=True)
class BoardFile:
    """What a board file holds. `file_keys.toml` says what each key means."""

    title: Annotated[str, Key(low=1)]
    source: str = ""
    rows: Annotated[tuple[Annotated[tuple[_Coordinate, ...], Key(low=1)], ...], Key(low=1)] = ()
    points: Annotated[tuple[tuple[_Coordinate, _Coordinate], ...], Key(low=1)] = ()
    labels: str = ""
    lines: Annotated[tuple[str, ...], Key(low=1)]
    end_arcs: tuple[str, ...] = ()
    bends: tuple[str, ...] = ()
    circles: tuple[str, ...] = ()
    picture_size: Annotated[int, Key(low=100, high=2000)] = PICTURE_SIZE
    chequered: bool = False


def parse_board(data: dict[str, Any], name: str) -> Board:
    """Builds a board from the tables of its file, which errors call `name`; see `BoardFile` for the keys.

    Raises:
      RulesError: If the tables do not describe a board; the error names file, key and value.
    """
    file = parse(BoardFile, data, name, RulesError)
    key, points = _points(file, name)
    labels = _labels(file, points, key, name)
    reader = _LineReader(name, Board(file.title, points, (), own_labels=labels))
    board = Board(
        title=file.title,
        points=points,
        lines=reader.lines("lines", file.lines),
        end_arcs=reader.lines("end_arcs", file.end_arcs),
        circles=reader.lines("circles", file.circles),
        bends=reader.lines("bends", file.bends),  # between points that the lines above join
        source=file.source,
        own_labels=labels,
        picture_size=file.picture_size,
        is_chequered=file.chequered,
    )
    _check_joined(board, key, name)
    _check_chequered(board, key, name)
    return board


def _points(file: BoardFile, name: str) -> tuple[str, tuple[Point, ...]]:
    """The key that gives the points, and their coordinates; whole numbers are integers."""
    if file.rows and file.points:
        raise RulesError(f"{name}: rows and points are both given, expected one of them")
    if not (file.rows or file.points):
        raise RulesError(f"{name}: rows is missing, expected the x of every point, row by row, or the key points")
    for y, row in enumerate(file.rows):
        if any(left >= right for left, right in pairwise(row)):
            raise RulesError(f"{name}: rows[{y}] is {show(list(row))}, expected each x once, rising from West to East")
    key = "rows" if file.rows else "points"
    given = file.points or tuple((x, y) for y, row in enumerate(file.rows) for x in row)
    if len(given) > MOST_POINTS:
        raise RulesError(f"{name}: {key} has {len(given)} points, expected {MOST_POINTS} at most")
    for place, point in enumerate(given):
        for other in given[:place]:
            if math.dist(point, other) < _LEAST_DISTANCE:
                raise RulesError(
                    f"{name}: {key} has a point at {show(list(other))} and one at {show(list(point))}, expected points "
                    f"at least {_LEAST_DISTANCE} apart"
                )
    whole = (tuple(int(each) if each == int(each) else each for each in point) for point in given)
    return key, tuple((x, y) for x, y in whole)


def _labels(file: BoardFile, points: tuple[Point, ...], key: str, name: str) -> tuple[str, ...]:
    """The board's own labels, empty if column and row name the points."""
    labels = tuple(file.labels.split())
    if not file.labels:
        for point in points:
            if not all(isinstance(coordinate, int) for coordinate in point):
                raise RulesError(
                    f"{name}: {key} has a point at {show(list(point))}, expected whole numbers, "
                    "or the key labels with a label for every point"
                )
        return ()
    for place, label in enumerate(labels):
        if not re.fullmatch(LABEL, label):
            raise RulesError(
                f"{name}: labels has {show(label)}, expected letters from a to z and then digits, or digits alone"
            )
        if label == "0":
            raise RulesError(f"{name}: labels has '0', expected another label: 1-0 and 0-1 are results of matches")
        if label in labels[:place]:
            raise RulesError(f"{name}: labels has {label!r} twice, expected each label once")
    if len(labels) != len(points):
        raise RulesError(f"{name}: labels has {len(labels)} labels, expected {len(points)}, one for every point")
    return labels


def _check_chequered(board: Board, key: str, name: str) -> None:
    """Refuses a chequered board whose points are not squares of one colour."""
    for x, y in board.points if board.is_chequered else ():
        if not (isinstance(x, int) and isinstance(y, int)) or (x + y - sum(board.points[0])) % 2:
            raise RulesError(
                f"{name}: {key} has a point at {show([x, y])}, expected dark squares of a chequered board: whole "
                "numbers, of which every second one in a row and in a column is a point"
            )


def _check_joined(board: Board, key: str, name: str) -> None:
    """Checks that lines lead from every point to every other."""
    for point, joined in enumerate(board.neighbours):
        if not joined:
            raise RulesError(f"{name}: {key} has the point {board.labels[point]!r}, expected every point on a line")
    reached = board.reached_from(0)
    apart = [label for point, label in enumerate(board.labels) if point not in reached]
    if apart:
        raise RulesError(
            f"{name}: lines lead from {board.labels[0]} to {len(reached)} of {len(board.points)} points, "
            f"expected lines to all others: {', '.join(apart)}"
        )


class _LineReader:
    """Reads the lines of a board and refuses those that cannot be drawn. Errors call the file `file`."""

    def __init__(self, file: str, board: Board) -> None:
        self._file, self._board = file, board
        self._texts: dict[Line, tuple[str, str]] = {}  # key and text of each line read so far
        self._edges: dict[Line, str] = {}  # text of the line that joins two points

    def lines(self, key: str, texts: Sequence[str]) -> tuple[Line, ...]:
        """The lines under a key of the file, as points."""
        return tuple(self._line(key, f"{key}[{place}]", text) for place, text in enumerate(texts))

    def _line(self, key: str, path: str, text: str) -> Line:
        line = find_points(self._board, text, self._file, path)
        if reason := self._fault(key, line):
            raise RulesError(f"{self._file}: {path} is {show(text)}, {reason}")
        self._texts[from_least(line) if key == "circles" else one_way(line)] = path, text
        if key != "bends":
            drawn = line + line[:1] if key == "circles" else line
            self._edges |= {pair: text for a, b in pairwise(drawn) for pair in ((a, b), (b, a))}
        return line

    def _fault(self, key: str, line: Line) -> str | None:
        """What is wrong with a line; None if nothing is."""
        if len(line) < 2:
            return "expected two points or more"
        if len(set(line)) < len(line):
            return "expected each point once"
        is_closed = key == "circles"
        if is_closed and len(line) < 3:
            return "expected three points or more"
        if known := self._texts.get(from_least(line) if is_closed else one_way(line)):
            return f"which {known[0]} has already: {known[1]!r}"
        way = line + line[:2] if is_closed else line
        turns = {self._turn(*triple) for triple in zip(way, way[1:], way[2:], strict=False)}
        labels = self._board.labels
        if key == "lines":
            if turns - {0}:
                return "expected points in order along a straight line"
            for (a, b), point in product(pairwise(line), range(len(labels))):
                if point not in (a, b) and self._turn(a, point, b) == 0:
                    return f"which leaves out {labels[point]} between {labels[a]} and {labels[b]}"
            return self._overlap(line)
        if key == "bends":
            if len(line) != 3 or turns & {0, None}:
                return "expected three points that do not lie on a straight line"
            loose = (pair for pair in pairwise(line) if pair not in self._edges)
            return next((f"but no line joins {labels[a]} and {labels[b]}" for a, b in loose), None)
        if is_closed:
            if turns not in ({-1}, {1}) or not self._goes_round_once(line):
                return "expected points in order round a closed curve, all turning to the same side"
            return self._overlap(line + line[:1])
        if len(line) < 3 or turns not in ({-1}, {1}):
            return "expected three points or more, all turning to the same side"
        return self._overlap(line)

    def _goes_round_once(self, circle: Line) -> bool:
        """Whether a closed line that always turns to the same side meets its beginning after one round."""
        places = [complex(*self._board.points[point]) for point in circle]
        sides = [after - before for before, after in pairwise([*places, places[0]])]
        angles = (cmath.phase(after / before) for before, after in pairwise([*sides, sides[0]]))
        return abs(sum(angles)) < 3 * math.pi

    def _overlap(self, line: Line) -> str | None:
        labels = self._board.labels
        shared = ((a, b) for a, b in pairwise(line) if (a, b) in self._edges)
        return next((f"but {labels[a]} and {labels[b]} are joined by {self._edges[a, b]!r}" for a, b in shared), None)

    def _turn(self, a: int, b: int, c: int) -> int | None:
        """Whether `a`, `b`, `c` turn left (1), turn right (-1), go straight on (0) or go back (None)."""
        start, middle, end = (self._board.points[point] for point in (a, b, c))
        first, then = (middle[0] - start[0], middle[1] - start[1]), (end[0] - middle[0], end[1] - middle[1])
        cross = first[0] * then[1] - first[1] * then[0]
        if abs(cross) > TOLERANCE * math.dist(start, end):
            return 1 if cross > 0 else -1
        return None if first[0] * then[0] + first[1] * then[1] < 0 else 0
