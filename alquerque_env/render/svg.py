"""Draws a picture as SVG that stands alone: no fonts, images or style sheets from elsewhere.

The layers, from the bottom: board, way of the last turn, shadows, captured pieces, pieces, marks.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from . import palette
from .arrow import arrow
from .curves import Arc, Place
from .geometry import PIECE_RADIUS, RING_RADIUS, UNIT, Layout, columns_and_rows, lay_out
from .label_places import LETTER
from .picture import Picture, Piece, printable


def number(value: float) -> str:
    """Returns a number with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def circle(
    centre: Place, radius: float, fill: str | None = None, stroke: str | None = None, breadth: float = 0.0
) -> str:
    """Returns a circle."""
    x, y = centre
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"{_style(fill, stroke, breadth)}/>'


def polyline(
    places: tuple[Place, ...], fill: str | None = None, stroke: str | None = None, breadth: float = 0.0
) -> str:
    """Returns strokes from place to place; with a fill, a polygon."""
    return f'<path d="M{"L".join(map(_place, places))}"{_style(fill, stroke, breadth)}/>'


def curve(arc: Arc, stroke: str, breadth: float) -> str:
    """Returns a stroke along an arc."""
    flags = f"0 {int(abs(arc.sweep) > 3.14159)} {int(arc.sweep > 0)}"
    path = f"M{_place(arc.start)}A{number(arc.radius)} {number(arc.radius)} {flags} {_place(arc.end)}"
    return f'<path d="{path}"{_style(None, stroke, breadth)}/>'


def rectangle(
    corner: Place,
    size: Place,
    rounding: float,
    fill: str | None = None,
    stroke: str | None = None,
    breadth: float = 0.0,
) -> str:
    """Returns a rectangle with rounded corners, from its upper left corner and its width and height."""
    (x, y), (width, height) = corner, size
    box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {box} rx="{number(rounding)}"{_style(fill, stroke, breadth)}/>'


def words(text: str, middle: Place, size: float, fill: str) -> str:
    """Returns a line of text centred on a place; `size` is the height of the font."""
    # The baseline lies a third of the font below the middle: renderers disagree on dominant-baseline.
    place = f'x="{number(middle[0])}" y="{number(middle[1] + 0.35 * size)}"'
    return f'<text {place} font-size="{number(size)}" text-anchor="middle"{_style(fill)}>{escape(text)}</text>'


def group(kind: str, *shapes: str, at: str = "", title: str = "", opacity: float = 1.0) -> str:
    """Returns shapes, the lowest first, as one element of a class that says what they mean, such as "piece".

    `at` is the label of their point or points, written to `data-at`, `title` their meaning in words; an opacity of 0 is
    invisible.
    """
    attributes = f" class={quoteattr(kind)}"
    if at:
        attributes += f" data-at={quoteattr(at)}"
    if opacity != 1.0:
        attributes += f' opacity="{number(opacity)}"'
    named = f"<title>{escape(title)}</title>" if title else ""
    return f"<g{attributes}>{named}{''.join(shapes)}</g>"


def _style(fill: str | None, stroke: str | None = None, breadth: float = 0.0) -> str:
    outline = "" if stroke is None else f' stroke="{stroke}" stroke-width="{number(breadth)}"'
    return f' fill="{fill or "none"}"{outline}'


def _place(place: Place) -> str:
    return f"{number(place[0])} {number(place[1])}"


_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_CROWN = ((-0.46, 0.36), (-0.56, -0.26), (-0.26, 0.04), (0.0, -0.44), (0.26, 0.04), (0.56, -0.26), (0.46, 0.36))
# How far a piece's shadow lies below it.
_DROP = 0.05 * UNIT


def draw_svg(picture: Picture, *, size: int | Literal["board"] | None = "board") -> str:
    """Draws a picture as SVG.

    Every edge, point, piece and mark is one element. Its class says what it is and its `data-at` holds the label of
    its point, so that a page can find and style it.

    Args:
      picture: What to show.
      size: Length of the longer side in pixels; "board" for the board's own, or None to leave the size to the page.

    Returns:
      An SVG document without XML declaration, which can be put into HTML.
    """
    layout = lay_out(picture.board, picture.turned)
    layers = (_board, _closed, _travel, _shadows, _ghosts, _halo, _pieces, _pending, _legal)
    body = "\n".join(element for layer in layers for element in layer(picture, layout))
    width, height = layout.size
    size = picture.board.picture_size if size == "board" else size
    sides = (("width", width), ("height", height))
    shown = (
        "" if size is None else "".join(f' {name}="{number(side * size / max(layout.size))}"' for name, side in sides)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}"{shown} role="img"'
        f' font-family="{_FONT}" font-weight="600" stroke-linecap="round" stroke-linejoin="round">\n'
        f"<title>{escape(picture.title)}</title>\n<desc>{escape(picture.description)}</desc>\n"
        f"{_definitions(body, *picture.drawings)}\n{body}\n</svg>\n"
    )


def draw_board(picture: Picture) -> str:
    """Returns the inside of the SVG element of a board without pieces: fills, frame, lines, points and labels."""
    body = "\n".join(_board(picture, lay_out(picture.board, picture.turned)))
    return f"{_definitions(body)}\n{body}"


def draw_piece(piece: Piece, drawing: str = "") -> str:
    """Returns an SVG group of a piece on the place (0, 0) with its shadow, and the fills and symbols that it needs."""
    shadow = circle((0.4 * _DROP, _DROP), PIECE_RADIUS * 1.03, palette.SHADOW_SOFT)
    body = group(f"piece {piece.title.lower()}", shadow, *_piece(piece, (0.0, 0.0), drawing))
    return f"{_definitions(body, drawing)}{body}"


def _definitions(body: str, *drawings: str) -> str:
    names = dict.fromkeys(re.findall(r"url\(#alquerque-(\w+)\)", body))
    return f"<defs>{''.join(map(palette.gradient, names))}{''.join(dict.fromkeys(drawings))}</defs>"


def _board(picture: Picture, layout: Layout) -> Iterator[str]:
    strip, (width, height) = layout.strip, layout.size
    yield group(
        "frame",
        rectangle((0, 0), layout.size, 0.22 * UNIT, palette.FRAME),
        rectangle(
            (strip, strip),
            (width - 2 * strip, height - 2 * strip),
            0.08 * UNIT,
            fill=palette.FIELD,
            stroke=palette.FIELD_EDGE,
            breadth=0.03 * UNIT,
        ),
    )
    if picture.board.is_chequered:
        yield from _squares(picture, layout)
    yield from _in_frame(picture, layout)
    if not picture.board.is_chequered:
        yield from _lines(picture, layout)


def _squares(picture: Picture, layout: Layout) -> Iterator[str]:
    """Draws the squares of a chequered board, whose dark ones are the points."""
    side = (UNIT, UNIT)
    yield group("light", *(rectangle(corner, side, 0.0, palette.LIGHT_SQUARE) for corner in layout.squares))
    for label, (x, y) in zip(picture.board.labels, layout.places, strict=True):
        square = rectangle((x - UNIT / 2, y - UNIT / 2), side, 0.0, palette.DARK_SQUARE)
        yield group("point", square, at=label, title=label)


def _lines(picture: Picture, layout: Layout) -> Iterator[str]:
    labels = picture.board.labels
    breadth = 0.045 * UNIT
    for edge in layout.edges:
        stroke = (
            polyline(edge.places, stroke=palette.LINE, breadth=breadth)
            if edge.arc is None
            else curve(edge.arc, palette.LINE, breadth)
        )
        yield group("edge", stroke, at="-".join(labels[point] for point in edge.points))
    for label, place in zip(labels, layout.places, strict=True):
        yield group("point", circle(place, 0.075 * UNIT, palette.LINE), at=label, title=label)


def _closed(picture: Picture, layout: Layout) -> Iterator[str]:
    for point in picture.closed:
        label = picture.board.labels[point]
        cover = circle(layout.places[point], 0.4 * UNIT, palette.CLOSED)
        yield group("closed", cover, at=label, title=f"{label} is closed", opacity=0.75)


def _in_frame(picture: Picture, layout: Layout) -> Iterator[str]:
    strip, width = layout.strip, layout.size[0]
    in_frame = columns_and_rows(picture.board, layout.places) is not None
    beside = palette.SQUARE_LABEL if picture.board.is_chequered else palette.POINT_LABEL
    colour = palette.LABEL if in_frame else beside
    for label in layout.labels if picture.has_names else ():
        yield group("label", words(label.text, label.place, label.size, colour))
    if caption := printable(picture.caption):
        room = width - 2.5 * strip
        size = max(0.5 * strip, min(0.62 * strip, room / (LETTER * len(caption))))
        fitting = int(room / (LETTER * size))
        if len(caption) > fitting:
            caption = caption[: max(1, fitting - 1)].rstrip() + "…"
        yield group("caption", words(caption, (width / 2, strip / 2), size, palette.LABEL))
    # Beside the home row of each side.
    rows = [y for _, y in layout.places]
    homes = (min(rows), max(rows)) if picture.turned else (max(rows), min(rows))
    if picture.player is not None:
        place = (width - strip / 2, homes[picture.player])
        disc = circle(place, 0.31 * strip, palette.PIECE_FILL[picture.player], palette.LABEL, 0.09 * strip)
        yield group("mover", disc, title=f"{picture.side(picture.player)} to move")
    yield from _hands(picture, width - strip / 2, strip, homes)


def _hands(picture: Picture, x: float, strip: float, homes: tuple[float, float]) -> Iterator[str]:
    """Draws the pieces in hand as lines in the frame, each from the home row of its side, and their numbers."""
    room = max(abs(homes[0] - homes[1]) - 5 * strip, strip)
    gap = min(0.7 * strip, room / max(1, sum(picture.hands)))
    for player, count in enumerate(picture.hands):
        inwards = 1 if homes[player] < homes[1 - player] else -1
        ys = [homes[player] + inwards * (strip + number * gap) for number in range(count)]
        discs = [circle((x, y), 0.28 * strip, palette.PIECE_FILL[player], palette.LABEL, 0.05 * strip) for y in ys]
        if discs:
            written = words(str(count), (x, ys[-1] + 0.85 * inwards * strip), 0.65 * strip, palette.LABEL)
            yield group("hand", *discs, written, title=f"{picture.side(player)}: {count} in hand")


def _travel(picture: Picture, layout: Layout) -> Iterator[str]:
    """Draws the last turn: a ring where it began, and an arrow along its way; a ring where it dropped a piece."""
    for points in (picture.last_turn, *((point,) for point in picture.dropped)):
        if points:
            labels = "-".join(picture.board.labels[point] for point in points)
            yield group("last-turn", *_way(picture, layout, points), at=labels, title=f"last turn: {labels}")


def _way(picture: Picture, layout: Layout, points: tuple[int, ...]) -> Iterator[str]:
    strokes = ((palette.LEGAL_RIM, 0.15 * UNIT), (palette.TRAVEL, 0.08 * UNIT))
    way = [layout.places[points[0]]]
    ring = RING_RADIUS if points[0] in picture.pieces else 0.2 * UNIT
    for colour, breadth in strokes:
        yield circle(way[0], ring, stroke=colour, breadth=breadth)
    for origin, landing in pairwise(points):
        way += layout.route(origin, landing)[1:] if origin != landing else ()
    if len(way) > 1:
        gap = PIECE_RADIUS + 0.05 * UNIT if points[-1] in picture.pieces else 0.12 * UNIT
        shaft, head = arrow(way, ring + 0.04 * UNIT, gap)
        yield polyline(shaft, stroke=strokes[0][0], breadth=strokes[0][1])
        yield polyline((*head, head[0]), palette.TRAVEL, palette.LEGAL_RIM, 0.035 * UNIT)
        yield polyline(shaft, stroke=strokes[1][0], breadth=strokes[1][1])


def _shadows(picture: Picture, layout: Layout) -> Iterator[str]:
    places = [layout.places[point] for point in picture.pieces]
    shadows = [circle((x + 0.4 * _DROP, y + _DROP), PIECE_RADIUS * 1.03, palette.SHADOW) for x, y in places]
    if shadows:
        yield group("shadow", *shadows, opacity=0.3)


def _ghosts(picture: Picture, layout: Layout) -> Iterator[str]:
    """Marks where the pieces stood that the last turn captured."""
    player = picture.victim_player
    for point in picture.captured:
        place, label = layout.places[point], picture.board.labels[point]
        if player is not None and point not in picture.pieces:
            shapes = _piece(Piece(player), place, picture.drawings[player], 0.92)
            yield group("ghost-piece", *shapes, at=label, opacity=0.4)
        yield group("ghost", *_cross(place), at=label, title=f"captured on {label}")


def _cross(place: Place) -> Iterator[str]:
    (x, y), arm = place, 0.17 * UNIT
    strokes = (((x - arm, y - arm), (x + arm, y + arm)), ((x - arm, y + arm), (x + arm, y - arm)))
    for colour, breadth in ((palette.VICTIM_RIM, 0.13 * UNIT), (palette.VICTIM, 0.075 * UNIT)):
        for stroke in strokes:
            yield polyline(stroke, stroke=colour, breadth=breadth)


def _halo(picture: Picture, layout: Layout) -> Iterator[str]:
    if picture.chain is None:
        return
    place, label = layout.places[picture.chain], picture.board.labels[picture.chain]
    glow = circle(place, RING_RADIUS, palette.GLOW, palette.LEGAL, 0.045 * UNIT)
    yield group("chain", glow, at=label, title=f"chain: the piece on {label} is to go on")


def _pieces(picture: Picture, layout: Layout) -> Iterator[str]:
    for point in sorted(picture.pieces):
        piece, label = Piece(*picture.pieces[point]), picture.board.labels[point]
        shapes = _piece(piece, layout.places[point], picture.drawings[piece.player])
        yield group(f"piece {piece.title.lower()}", *shapes, at=label, title=f"{picture.name(piece)} on {label}")


def _piece(piece: Piece, place: Place, drawing: str, scale: float = 1.0) -> Iterator[str]:
    player, radius = piece.player, scale * PIECE_RADIUS
    yield circle(place, radius, palette.PIECE_FILL[player], palette.PIECE_RIM[player], 0.035 * UNIT)
    (x, y), size = place, (0.92 if piece.promoted else 0.78) * radius
    if piece.promoted:
        outline = tuple((x + size * dx, y + size * dy) for dx, dy in _CROWN)
        yield circle(place, 0.87 * radius, stroke=palette.CROWN_RING[player], breadth=0.05 * UNIT)
        yield polyline((*outline, outline[0]), palette.CROWN, palette.CROWN_EDGE[player], 0.03 * UNIT)
    elif drawing:
        name, side = drawing.split('"')[1], number(2 * size)  # the id is the first attribute of the symbol
        box = f'x="{number(x - size)}" y="{number(y - size)}" width="{side}" height="{side}"'
        yield f'<use href="#{name}" {box}{_style(palette.ANIMAL[player])}/>'
    else:
        yield circle(place, radius * 0.66, stroke=palette.PIECE_GROOVE[player], breadth=0.03 * UNIT)


def _pending(picture: Picture, layout: Layout) -> Iterator[str]:
    for point in picture.pending:
        label = picture.board.labels[point]
        yield group("pending", *_cross(layout.places[point]), at=label, title=f"captured on {label}, not yet removed")


def _legal(picture: Picture, layout: Layout) -> Iterator[str]:
    for point in picture.origins:
        place, label = layout.places[point], picture.board.labels[point]
        rings = ((palette.LEGAL_RIM, 0.1 * UNIT), (palette.LEGAL, 0.055 * UNIT))
        shapes = (circle(place, PIECE_RADIUS * 1.1, stroke=colour, breadth=breadth) for colour, breadth in rings)
        yield group("origin", *shapes, at=label, title=f"{label} may move")
    for point in picture.targets:
        place, label = layout.places[point], picture.board.labels[point]
        dot = circle(place, 0.14 * UNIT, palette.LEGAL, palette.LEGAL_RIM, 0.05 * UNIT)
        yield group("target", dot, at=label, title=f"target {label}")
