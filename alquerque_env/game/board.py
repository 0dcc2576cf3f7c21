"""A board: points, the lines drawn through them, and its symmetries."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from itertools import pairwise, product
from typing import Annotated, Any

from ..errors import RulesError, did_you_mean
from ..files.schema import Key, parse, read_toml, show

Line = tuple[int, ...]
Permutation = tuple[int, ...]

MOST_POINTS = 63
"""One bit a point in a signed word of 64 bits."""

# The rotations and reflections of the plane: whether x and y are exchanged, then the sign of each.
_PLANE_MAPS = (
    *((False, 1, 1), (False, -1, -1), (False, -1, 1), (False, 1, -1)),
    *((True, 1, 1), (True, -1, 1), (True, 1, -1), (True, -1, -1)),
)


def _column_name(x: int) -> str:
    name = ""
    x += 1
    while x > 0:
        x, letter = divmod(x - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


@dataclass(frozen=True)
class Board:
    """Points and the lines that join them.

    Points are numbered from 0, row by row from South, West to East.

    Attributes:
      title: The board's name for people.
      points: Coordinates `(x, y)` of every point; x grows to the East, y to the North.
      lines: Straight lines, each the points along it; neighbours on a line are joined.
      end_arcs: Curved lines round an end of the board.
      bends: Triples of points; a drawn line bends at the middle one.
      source: Where the board is described.
    """

    title: str
    points: tuple[tuple[int, int], ...]
    lines: tuple[Line, ...]
    end_arcs: tuple[Line, ...] = ()
    bends: tuple[Line, ...] = ()
    source: str = ""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Short names of the points: column letter and row number, `a1` for `(0, 0)`."""
        return tuple(f"{_column_name(x)}{y + 1}" for x, y in self.points)

    @cached_property
    def index(self) -> dict[str, int]:
        """Point number of each label."""
        return {label: point for point, label in enumerate(self.labels)}

    @cached_property
    def edges(self) -> frozenset[tuple[int, int]]:
        """Ordered pairs of points joined directly by a drawn line, both ways round."""
        drawn = [pair for line in (*self.lines, *self.end_arcs, *self.bends) for pair in pairwise(line)]
        return frozenset(drawn) | frozenset((b, a) for a, b in drawn)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each point the points one step away, in ascending order."""
        return tuple(tuple(sorted(b for a, b in self.edges if a == point)) for point in range(len(self.points)))

    @cached_property
    def reflections(self) -> tuple[Permutation, ...]:
        """The board's symmetries, the identity first.

        A symmetry is a rotation or reflection of the plane that maps points to points and drawn lines to drawn lines;
        entry `i` of a permutation is the point that point `i` goes to.
        """
        shape = self._shape(range(len(self.points)))
        found: dict[Permutation, None] = {}
        for move in _PLANE_MAPS:
            permutation = self._plane_map(*move)
            if permutation is not None and self._shape(permutation) == shape:
                found[permutation] = None
        return tuple(found)

    @property
    def half_turn(self) -> Permutation | None:
        """The rotation by 180 degrees if it is a symmetry of the board, else None."""
        turned = self._plane_map(False, -1, -1)
        return turned if turned in self.reflections else None

    def _plane_map(self, swaps: bool, sign_x: int, sign_y: int) -> Permutation | None:
        """Maps `(x, y)` to `(sign_x * x, sign_y * y)`, with x and y exchanged first if `swaps`."""
        moved = [(sign_x * y, sign_y * x) if swaps else (sign_x * x, sign_y * y) for x, y in self.points]
        left = min(x for x, _ in moved) - min(x for x, _ in self.points)
        low = min(y for _, y in moved) - min(y for _, y in self.points)
        place = {coordinates: point for point, coordinates in enumerate(self.points)}
        images = [place.get((x - left, y - low)) for x, y in moved]
        return None if None in images else tuple(images)  # type: ignore[arg-type]

    def _shape(self, permutation: Sequence[int]) -> tuple[frozenset[Line], ...]:
        def along(lines: tuple[Line, ...]) -> frozenset[Line]:
            paths = (tuple(permutation[point] for point in line) for line in lines)
            return frozenset(min(path, path[::-1]) for path in paths)

        return along(self.lines), along(self.end_arcs), along(self.bends)


@dataclass(frozen=True, kw_only=True)
class BoardFile:
    """What a board file holds."""

    title: Annotated[str, Key("The board's name for people.", low=1)]
    source: Annotated[str, Key("Where the board is described.")] = ""
    rows: Annotated[
        tuple[Annotated[tuple[Annotated[int, Key(low=0, high=99)], ...], Key(low=1)], ...],
        Key("The x of every point, row by row from South, rising from West to East; y is the row's number.", low=1),
    ]
    lines: Annotated[
        tuple[str, ...],
        Key("Straight lines, each the labels of its points in order. Neighbours on a line are joined.", low=1),
    ]
    end_arcs: Annotated[
        tuple[str, ...],
        Key("Lines curved round an end of the board; the option `end_arc` says whether a leap may follow them."),
    ] = ()
    bends: Annotated[
        tuple[str, ...],
        Key('Three points where a drawn line bends at the middle one; `leap = "drawn_line"` follows it there.'),
    ] = ()


def read_board(file: Traversable, name: str) -> Board:
    """Reads a board file, which errors call `name`.

    Raises:
      RulesError: If the file does not describe a board; the error names file, key and value.
    """
    return parse_board(read_toml(file, name, RulesError), name)


def parse_board(data: dict[str, Any], name: str) -> Board:
    """Builds a board from the tables of its file, which errors call `name`; see `BoardFile` for the keys.

    Raises:
      RulesError: If the tables do not describe a board; the error names file, key and value.
    """
    file = parse(BoardFile, data, name, RulesError)
    for y, row in enumerate(file.rows):
        if any(left >= right for left, right in pairwise(row)):
            raise RulesError(f"{name}: rows[{y}] is {show(list(row))}, expected each x once, rising from West to East")
    points = tuple((x, y) for y, row in enumerate(file.rows) for x in row)
    if len(points) > MOST_POINTS:
        raise RulesError(f"{name}: rows has {len(points)} points, expected {MOST_POINTS} at most")
    reader = _LineReader(name, Board(file.title, points, ()))
    board = Board(
        title=file.title,
        points=points,
        lines=reader.lines("lines", file.lines),
        end_arcs=reader.lines("end_arcs", file.end_arcs),
        bends=reader.lines("bends", file.bends),
        source=file.source,
    )
    for point, joined in enumerate(board.neighbours):
        if not joined:
            raise RulesError(f"{name}: rows has the point {board.labels[point]!r}, expected every point on a line")
    return board


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
        self._texts[min(line, line[::-1])] = path, text
        if key != "bends":
            self._edges |= {pair: text for a, b in pairwise(line) for pair in ((a, b), (b, a))}
        return line

    def _fault(self, key: str, line: Line) -> str | None:
        """What is wrong with a line; None if nothing is."""
        labels = self._board.labels
        if len(line) < 2:
            return "expected two points or more"
        if len(set(line)) < len(line):
            return "expected each point once"
        if known := self._texts.get(min(line, line[::-1])):
            return f"which {known[0]} has already: {known[1]!r}"
        turns = {self._turn(*triple) for triple in zip(line, line[1:], line[2:], strict=False)}
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
        if len(line) < 3 or turns not in ({-1}, {1}):
            return "expected three points or more, all turning to the same side"
        return self._overlap(line)

    def _overlap(self, line: Line) -> str | None:
        labels = self._board.labels
        shared = ((a, b) for a, b in pairwise(line) if (a, b) in self._edges)
        return next((f"but {labels[a]} and {labels[b]} are joined by {self._edges[a, b]!r}" for a, b in shared), None)

    def _turn(self, a: int, b: int, c: int) -> int | None:
        """Whether `a`, `b`, `c` turn left (1), turn right (-1), go straight on (0) or go back (None)."""
        (ax, ay), (bx, by), (cx, cy) = (self._board.points[point] for point in (a, b, c))
        first, then = (bx - ax, by - ay), (cx - bx, cy - by)
        cross = first[0] * then[1] - first[1] * then[0]
        if cross == 0 and first[0] * then[0] + first[1] * then[1] < 0:
            return None
        return (cross > 0) - (cross < 0)


def find_points(board: Board, text: str, file: str, path: str) -> tuple[int, ...]:
    """The points of labels separated by spaces.

    Raises:
      RulesError: If a label is none of the board.
    """
    for label in text.split():
        if label not in board.index:
            near = did_you_mean(label, board.labels)
            raise RulesError(
                f"{file}: {path} names {show(label)}, which is no point of the board{near} "
                f"(known: {', '.join(board.labels)})"
            )
    return tuple(board.index[label] for label in text.split())
