"""Draws a picture with characters, for terminals and logs."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby

from .geometry import columns_and_rows, lay_out
from .picture import SIDES, Picture, Piece, printable


def list_points(picture: Picture, width: int) -> list[str]:
    """Lists in lines of at most `width` what a picture shows: pieces of each side, marks, and lines of the board."""
    return [line for entry in _entries(picture) for line in textwrap.wrap(entry, width, subsequent_indent="  ")]


def _entries(picture: Picture) -> Iterator[str]:
    board = picture.board
    names = [*board.labels]
    for point, (_, promoted) in picture.pieces.items():
        names[point] = f"{'K' if promoted else ''}{board.labels[point]}"

    def listed(points: Iterable[int]) -> str:
        return " ".join(names[point] for point in points) or "none"

    for player, hand in enumerate(picture.hands):
        mover = " to move" if picture.player == player else ""
        own = (point for point, (owner, _) in sorted(picture.pieces.items()) if owner == player)
        yield f"{picture.side(player)}{mover}: {listed(own)}{f'; {hand} in hand' if hand else ''}"
    open_points = (point for point in range(len(board.points)) if point not in picture.closed)
    yield f"Vacant: {listed(point for point in open_points if point not in picture.pieces)}"
    marks = {
        "In a chain": () if picture.chain is None else (picture.chain,),
        "Captured, not yet removed": picture.pending,
        "May move": picture.origins,
        "Targets": picture.targets,
        "Last turn": picture.last_turn + picture.dropped,
        "Captured": picture.captured,
        "Closed": picture.closed,
    }
    yield from (f"{mark}: {listed(points)}" for mark, points in marks.items() if points)
    drawn = [*board.lines, *board.end_arcs, *(circle + circle[:1] for circle in board.circles)]
    lines = "; ".join(" ".join(board.labels[point] for point in line) for line in drawn)
    yield f"Lines: {lines}"


Cell = tuple[int, int]


@dataclass(frozen=True)
class _Glyphs:
    """The characters of a picture; `pieces[player][promoted]`."""

    pieces: tuple[tuple[str, str], tuple[str, str]]
    vacant: str
    captured: str
    target: str
    closed: str
    level: str
    upright: str
    rising: str
    falling: str
    crossings: tuple[str, str]


_UNICODE = _Glyphs((("○", "♔"), ("●", "♚")), "·", "×", "◇", "▒", "─", "│", "╱", "╲", ("┼", "╳"))
_ASCII = _Glyphs((("w", "W"), ("b", "B")), ".", "x", "*", "#", "-", "|", "/", "\\", ("+", "X"))
# In order of precedence.
_BRACKETS = {"in a chain": "[]", "captured, not yet removed": "{}", "may move": "<>", "last turn": "()"}
# Orange and blue of the 256 colours: readable on light and dark terminals, and with any form of colour blindness.
_COLOURS = {"south": "1;38;5;208", "north": "1;38;5;33", "line": "2", "mark": "1"}
_RESET = "\x1b[0m"
_ESCAPE = re.compile("\x1b[^m]*m")
# Columns from a point to the next one in its row, and lines from a row to the next; 1 if the board is too wide with 2.
_COLUMN_GAP = 4
_ROW_GAPS = (2, 1)
_HEIGHT = 200
# Rows closer than this in the board's coordinates count as one.
_SAME_ROW = 0.05


def draw_text(picture: Picture, *, unicode: bool = True, color: bool = False, width: int = 80) -> str:
    """Draws a picture with characters, in 200 lines at most; a board that does not fit is listed.

    Marks around points are explained below the board: `[ ]` the piece in the middle of a chain, `{ }` a captured piece
    that is not yet removed, `< >` a piece that may move, `( )` a point of the last turn, and crosses a target on which
    a piece was captured.

    Args:
      picture: What to show.
      unicode: Whether to use box-drawing characters; otherwise every character is ASCII.
      color: Whether to colour pieces and marks with ANSI escapes.
      width: The most columns of a line.

    Returns:
      Lines of text without a line break at the end.
    """
    glyphs = _UNICODE if unicode else _ASCII
    # The lines of a board that is far too large take long to draw.
    small = (cells for gap in _ROW_GAPS if _are_near(cells := _cells(picture, gap), width))
    canvas = next((canvas for cells in small if (canvas := _Canvas(picture, glyphs, cells)).fits_in(width)), None)
    lines = [printable(picture.caption), ""] if picture.caption else []
    if canvas is None:
        lines += list_points(picture, width)
    else:
        lines += [*canvas.lines(color), "", *_legend(picture, glyphs, color, width)]
    text = "\n".join(line.rstrip() for line in lines)
    return text if unicode else text.encode("ascii", "replace").decode()


class _Canvas:
    """A board drawn on a grid of characters, each with the name of its colour."""

    def __init__(self, picture: Picture, glyphs: _Glyphs, cells: tuple[Cell, ...]) -> None:
        self.picture = picture
        self.glyphs = glyphs
        self.cells = cells
        self.characters: dict[Cell, tuple[str, str]] = {}
        self.draw_edges()
        self.draw_labels()
        self.draw_points()

    def fits_in(self, width: int) -> bool:
        """Whether the board is narrow enough, and no two points or their marks share a place."""
        columns = [column for _, column in self.characters]
        pairs = combinations(self.cells, 2)
        is_clear = all(row != other or abs(column - aside) >= _COLUMN_GAP for (row, column), (other, aside) in pairs)
        return is_clear and max(columns) - min(columns) < width

    def draw_edges(self) -> None:
        for edge in lay_out(self.picture.board, self.picture.turned).edges:
            top, bottom = sorted(self.cells[point] for point in edge.points)
            for cell, character in _stroke(top, bottom, self.glyphs):
                self._cross(cell, character)

    def draw_labels(self) -> None:
        """Writes columns below and rows on the left; on boards without columns and rows, labels beside their points."""
        names = columns_and_rows(self.picture.board, tuple((x, y) for y, x in self.cells))
        if names is None:
            written: set[Cell] = set()
            for label, cell in zip(self.picture.board.labels, self.cells, strict=True):
                row, column = self._beside(cell, len(label), written)
                self._write((row, column), label)
                # The next label stands one character apart.
                written |= {(row, place) for place in range(column - 1, column + len(label) + 1)}
            return
        below = max(row for row, _ in self.cells) + 2
        columns, rows = names
        for name, place in columns.items():
            for i, letter in enumerate(name):
                self._write((below + i, int(place)), letter)
        left = min(column for _, column in self.cells) - 2
        for name, place in rows.items():
            self._write((int(place), left - len(name)), name)

    def draw_points(self) -> None:
        for point, cell in enumerate(self.cells):
            piece = self.picture.piece(point)
            self.characters[cell] = self._glyph(point, piece)
            if (mark := _mark(self.picture, point)) is not None:
                for shift, bracket in zip((-1, 1), _BRACKETS.get(mark, 2 * self.glyphs.captured), strict=True):
                    self.characters[cell[0], cell[1] + shift] = bracket, "mark"

    def lines(self, color: bool) -> list[str]:
        """Returns the lines of text from top to bottom."""
        (top, left), (bottom, right) = (
            [edge(axis) for axis in zip(*self.characters, strict=True)] for edge in (min, max)
        )
        rows = (
            [self.characters.get((row, column), (" ", "")) for column in range(left, right + 1)]
            for row in range(top, bottom + 1)
        )
        return ["".join(_runs(row, color)) for row in rows]

    def _beside(self, cell: Cell, length: int, written: set[Cell]) -> Cell:
        """Where a label of this length begins beside a point: clear of lines, points and the cells that are written."""
        row, column = cell
        places = [
            (row + down, start)
            for down in (0, 1, -1)
            for start in (column + (2 if down == 0 else 1), column - length - (1 if down == 0 else 0))
        ]
        taken = self.characters.keys() | set(self.cells) | written
        clear = (
            (line, start)
            for line, start in places
            if not any((line, place) in taken for place in range(start, start + length))
        )
        return next(clear, (row + 1, column + 1))

    def _write(self, cell: Cell, text: str) -> None:
        for i, letter in enumerate(text):
            self.characters[cell[0], cell[1] + i] = letter, ""

    def _glyph(self, point: int, piece: Piece | None) -> tuple[str, str]:
        if piece is not None:
            return self.glyphs.pieces[piece.player][piece.promoted], SIDES[piece.player].lower()
        if point in self.picture.targets:
            return self.glyphs.target, "mark"
        if point in self.picture.captured:
            return self.glyphs.captured, "mark"
        if point in self.picture.closed:
            return self.glyphs.closed, "line"
        return self.glyphs.vacant, "line"

    def _cross(self, cell: Cell, character: str) -> None:
        there = self.characters.get(cell, (character, ""))[0]
        if there != character:
            slanted = {there, character} <= {self.glyphs.rising, self.glyphs.falling, self.glyphs.crossings[1]}
            character = self.glyphs.crossings[slanted]
        self.characters[cell] = character, "line"


def _cells(picture: Picture, row_gap: int) -> tuple[Cell, ...]:
    """Returns the cell `(row, column)` of each point; rows that are next to each other lie `row_gap` lines apart."""
    points = picture.board.points
    pairs = list(combinations(points, 2))
    rise = min((abs(a[1] - b[1]) for a, b in pairs if abs(a[1] - b[1]) > _SAME_ROW), default=1.0)
    column_gap = min((abs(a[0] - b[0]) for a, b in pairs if abs(a[1] - b[1]) <= _SAME_ROW), default=1.0)
    lines = row_gap / rise
    # A character is about twice as high as wide.
    columns = max(_COLUMN_GAP / column_gap, float(int(2 * lines / lay_out(picture.board).stretch)))
    sign = -1 if picture.turned else 1
    return tuple((round(-sign * y * lines), round(sign * x * columns)) for x, y in points)


def _are_near(cells: tuple[Cell, ...], width: int) -> bool:
    """Whether all points find room in the lines and columns that a drawing may take."""
    rows, columns = zip(*cells, strict=True)
    return max(rows) - min(rows) < _HEIGHT and max(columns) - min(columns) < width


def _stroke(start: Cell, end: Cell, glyphs: _Glyphs) -> Iterator[tuple[Cell, str]]:
    """Yields the characters between two cells; the first cell is not below the second."""
    (top, first), (bottom, last) = start, end
    down, across = bottom - top, last - first
    slant = glyphs.falling if across > 0 else glyphs.rising
    if down == 0:
        yield from (((top, column), glyphs.level) for column in range(first + 1, last))
    elif abs(across) <= _COLUMN_GAP * down:
        for row in range(top + 1, bottom):
            yield (row, round(first + across * (row - top) / down)), slant if across else glyphs.upright
    else:
        for i in range(1, abs(across)):
            drop = down * i / abs(across)
            column = first + (i if across > 0 else -i)
            level = round(drop) == round(down * (i + 1) / abs(across))
            yield (top + round(drop), column), glyphs.level if level else slant


def _mark(picture: Picture, point: int) -> str | None:
    """Returns the mark around a point, the first in `_BRACKETS` if several apply, or "captured" for a target."""
    if point == picture.chain:
        return "in a chain"
    if point in picture.pending:
        return "captured, not yet removed"
    if point in picture.origins:
        return "may move"
    if point in picture.captured and point in picture.targets and point not in picture.pieces:
        return "captured"
    return "last turn" if point in picture.last_turn + picture.dropped else None


def _legend(picture: Picture, glyphs: _Glyphs, color: bool, width: int) -> list[str]:
    sides, hands = [], []
    for player, hand in enumerate(picture.hands):
        side, (man, king) = SIDES[player].lower(), glyphs.pieces[player]
        shown = f"{man} {king}" if (player, True) in map(tuple, picture.pieces.values()) else man
        moving = " to move" if picture.player == player else ""
        sides.append(_coloured(f"{shown} {picture.side(player)}", side, color=color) + moving)
        if hand:
            hands.append(f"{SIDES[player]} in hand: {_coloured(man * hand, side, color=color)} {hand}")
    lines = [*_joined(sides, width), *hands]
    marks = {_mark(picture, point) for point in range(len(picture.board.points))}
    meanings = [f"{' '.join(brackets)} {mark}" for mark, brackets in _BRACKETS.items() if mark in marks]
    vacant = [point for point in range(len(picture.board.points)) if point not in picture.pieces]
    if any(point in picture.captured for point in vacant):
        meanings.append(f"{glyphs.captured} captured")
    if any(point in picture.targets for point in vacant):
        meanings.append(f"{glyphs.target} target")
    if picture.closed:
        meanings.append(f"{glyphs.closed} closed")
    return [*lines, *_joined(meanings, width)] if meanings else lines


def _joined(entries: list[str], width: int) -> Iterator[str]:
    """Entries side by side, as many in a line as there is room for."""
    line = ""
    for entry in entries:
        if line and len(_ESCAPE.sub("", line)) + len(_ESCAPE.sub("", entry)) + 3 > width:
            yield line
            line = ""
        line += f"   {entry}" if line else entry
    yield line


def _runs(row: list[tuple[str, str]], color: bool) -> Iterator[str]:
    for name, run in groupby(row, key=lambda character: character[1]):
        yield _coloured("".join(letter for letter, _ in run), name, color=color)


def _coloured(text: str, name: str, *, color: bool) -> str:
    return f"\x1b[{_COLOURS[name]}m{text}{_RESET}" if color and name in _COLOURS else text
