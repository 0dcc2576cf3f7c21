"""A board: points, the lines drawn through them, and its symmetries."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import pairwise

from ..errors import RulesError

Line = tuple[int, ...]
Permutation = tuple[int, ...]


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
      bends: Triples where a drawn line bends on its way through the middle point.
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
        for permutation in self._plane_maps():
            if permutation is not None and self._shape(permutation) == shape:
                found[permutation] = None
        return tuple(found)

    @property
    def half_turn(self) -> Permutation | None:
        """The rotation by 180 degrees, where it is a symmetry of the board."""
        turned = self._plane_map(lambda x, y: (-x, -y))
        return turned if turned in self.reflections else None

    def _plane_maps(self) -> list[Permutation | None]:
        return [
            self._plane_map(move)
            for move in (
                lambda x, y: (x, y),
                lambda x, y: (-x, -y),
                lambda x, y: (-x, y),
                lambda x, y: (x, -y),
                lambda x, y: (y, x),
                lambda x, y: (-y, x),
                lambda x, y: (y, -x),
                lambda x, y: (-y, -x),
            )
        ]

    def _plane_map(self, move: Callable[[int, int], tuple[int, int]]) -> Permutation | None:
        moved = [move(x, y) for x, y in self.points]
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


def load_board(name: str) -> Board:
    """Reads a board file of the package.

    Raises:
      RulesError: If the file does not describe a board.
    """
    file = resources.files(__package__) / "boards" / f"{name}.toml"
    return parse_board(tomllib.loads(file.read_text(encoding="utf-8")), name)


def parse_board(data: dict, name: str) -> Board:
    """Builds a board from the tables of its file.

    Args:
      data: `title`, `source`, `rows`, `lines` and, where the board has them, `end_arcs` and `bends`.
      name: Name of the board, for errors.

    Raises:
      RulesError: If a line names a point that does not exist, a point lies on no line, or a key is missing or unknown.
    """
    known = {"title", "source", "rows", "lines", "end_arcs", "bends"}
    if missing := {"title", "rows", "lines"} - data.keys():
        raise RulesError(f"board {name!r}: missing {', '.join(sorted(missing))}")
    if unknown := data.keys() - known:
        raise RulesError(f"board {name!r}: unknown {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    points = tuple((x, y) for y, row in enumerate(data["rows"]) for x in row)
    bare = Board(data["title"], points, ())

    def read(lines: list[str]) -> tuple[Line, ...]:
        for label in (label for line in lines for label in line.split() if label not in bare.index):
            raise RulesError(f"board {name!r}: a line names {label!r}, which is no point of the board")
        return tuple(tuple(bare.index[label] for label in line.split()) for line in lines)

    board = Board(
        title=data["title"],
        points=points,
        lines=read(data["lines"]),
        end_arcs=read(data.get("end_arcs", [])),
        bends=read(data.get("bends", [])),
        source=data.get("source", ""),
    )
    for point, joined in enumerate(board.neighbours):
        if not joined:
            raise RulesError(f"board {name!r}: point {board.labels[point]!r} lies on no line")
    return board
