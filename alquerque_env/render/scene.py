"""Composes a picture: which shapes lie where, from the board at the bottom to the marks on top."""

import math
from collections.abc import Iterator

from . import palette
from .geometry import PIECE_RADIUS, UNIT, Layout, Place, lay_out
from .picture import SIDES, Picture, Piece, printable
from .shapes import Curve, Disc, Fill, Mark, Polyline, Shape, Slab, Words

# Mean breadth of a letter in parts of the font's height.
_LETTER = 0.56
_CROWN = ((-0.46, 0.36), (-0.56, -0.26), (-0.26, 0.04), (0.0, -0.44), (0.26, 0.04), (0.56, -0.26), (0.46, 0.36))


def compose(picture: Picture) -> tuple[Layout, tuple[Mark, ...]]:
    """Composes a picture.

    Args:
      picture: What to show.

    Returns:
      The layout and the marks on it, the lowest first.
    """
    layout = lay_out(picture.board, picture.turned)
    layers = (
        _board(picture, layout),
        _travel(picture, layout),
        _shadows(picture, layout),
        _ghosts(picture, layout),
        _halo(picture, layout),
        _pieces(picture, layout),
        _pending(picture, layout),
        _legal(picture, layout),
    )
    return layout, tuple(mark for layer in layers for mark in layer)


def compose_board(picture: Picture) -> tuple[Layout, tuple[Mark, ...]]:
    """As `compose`, without pieces and marks."""
    layout = lay_out(picture.board, picture.turned)
    return layout, tuple(_board(picture, layout))


def compose_piece(piece: Piece) -> Mark:
    """A piece that stands on the place (0, 0), its shadow included."""
    down, place = 0.05 * UNIT, (0.0, 0.0)
    shadow = Disc((0.4 * down, down), PIECE_RADIUS * 1.03, fill=palette.SHADOW_SOFT)
    crown = _crown(piece.player, place) if piece.promoted else ()
    return Mark(f"piece {piece.title.lower()}", (shadow, *_body(piece, place, PIECE_RADIUS), *crown))


def _board(picture: Picture, layout: Layout) -> Iterator[Mark]:
    frame = Slab((0, 0), layout.size, 0.22 * UNIT, fill=palette.FRAME)
    inner = (layout.size[0] - 2 * layout.strip, layout.size[1] - 2 * layout.strip)
    field = Slab(
        (layout.strip, layout.strip),
        inner,
        0.08 * UNIT,
        fill=palette.FIELD,
        stroke=palette.FIELD_EDGE,
        breadth=0.03 * UNIT,
    )
    yield Mark("frame", (frame, field))
    yield from _in_frame(picture, layout)
    labels = picture.board.labels
    for edge in layout.edges:
        breadth = 0.045 * UNIT
        stroke: Shape = Polyline(edge.places, stroke=palette.LINE, breadth=breadth)
        if edge.arc is not None:
            stroke = Curve(edge.arc, stroke=palette.LINE, breadth=breadth)
        yield Mark("edge", (stroke,), at="-".join(labels[point] for point in edge.points))
    for point, place in enumerate(layout.places):
        yield Mark("point", (Disc(place, 0.075 * UNIT, fill=palette.LINE),), at=labels[point], title=labels[point])


def _in_frame(picture: Picture, layout: Layout) -> Iterator[Mark]:
    width, height = layout.size
    in_frame = layout.labels and layout.labels[0].place[1] > height - layout.strip
    colour = palette.LABEL if in_frame else palette.POINT_LABEL
    for label in layout.labels:
        yield Mark("label", (Words(label.text, label.place, label.size, fill=colour),))
    if caption := printable(picture.caption):
        room = width - 2.5 * layout.strip
        size = max(0.5 * layout.strip, min(0.62 * layout.strip, room / (_LETTER * len(caption))))
        fitting = int(room / (_LETTER * size))
        if len(caption) > fitting:
            caption = caption[: max(1, fitting - 1)].rstrip() + "…"
        yield Mark("caption", (Words(caption, (width / 2, layout.strip / 2), size, fill=palette.LABEL),))
    if picture.player is not None:
        # Beside the home row of the player to move.
        at_bottom = (picture.player == 0) != picture.turned
        rows = [y for _, y in layout.places]
        place = (width - layout.strip / 2, max(rows) if at_bottom else min(rows))
        disc = Disc(
            place,
            0.31 * layout.strip,
            fill=palette.PIECE_FILL[picture.player],
            stroke=palette.LABEL,
            breadth=0.09 * layout.strip,
        )
        yield Mark("mover", (disc,), title=f"{SIDES[picture.player]} to move")


def _travel(picture: Picture, layout: Layout) -> Iterator[Mark]:
    """The last turn: a ring where it began, and an arrow along its way."""
    if not picture.last_turn:
        return
    breadth = 0.1 * UNIT
    first = layout.places[picture.last_turn[0]]
    ring = 1.12 * PIECE_RADIUS if picture.last_turn[0] in picture.pieces else 0.2 * UNIT
    shapes: list[Shape] = [Disc(first, ring, stroke=palette.TRAVEL, breadth=breadth)]
    way = [first]
    for origin, landing in picture.steps:
        way += layout.route(origin, landing)[1:]
    if len(way) > 1:
        gap = PIECE_RADIUS + 0.05 * UNIT if picture.last_turn[-1] in picture.pieces else 0.12 * UNIT
        to_tip = _cut(way, gap)
        to_neck = _cut(to_tip, 0.2 * UNIT)
        shaft = _cut(to_neck[::-1], ring)
        shapes.append(Polyline(tuple(shaft), stroke=palette.TRAVEL, breadth=breadth))
        head = _arrow_head(to_tip[-1], to_neck[-1], 0.26 * UNIT, 0.17 * UNIT)
        shapes.append(Polyline(head, fill=palette.TRAVEL))
    labels = "-".join(picture.board.labels[point] for point in picture.last_turn)
    yield Mark("last-turn", tuple(shapes), at=labels, title=f"last turn: {labels}", opacity=0.8)


def _towards(origin: Place, target: Place, distance: float) -> Place:
    length = math.dist(origin, target) or 1.0
    share = distance / length
    return origin[0] + (target[0] - origin[0]) * share, origin[1] + (target[1] - origin[1]) * share


def _cut(way: list[Place], distance: float) -> list[Place]:
    """The way without its last `distance`."""
    while len(way) > 2 and (length := math.dist(way[-1], way[-2])) <= distance:
        distance -= length
        way = way[:-1]
    return [*way[:-1], _towards(way[-1], way[-2], distance)]


def _arrow_head(tip: Place, origin: Place, length: float, half_breadth: float) -> tuple[Place, ...]:
    base = _towards(tip, origin, length)
    across = ((base[1] - tip[1]) / length * half_breadth, (tip[0] - base[0]) / length * half_breadth)
    return tip, (base[0] + across[0], base[1] + across[1]), (base[0] - across[0], base[1] - across[1])


def _shadows(picture: Picture, layout: Layout) -> Iterator[Mark]:
    down = 0.05 * UNIT
    shadows = [
        Disc((x + 0.4 * down, y + down), PIECE_RADIUS * 1.03, fill=palette.SHADOW)
        for x, y in (layout.places[point] for point in picture.pieces)
    ]
    if shadows:
        yield Mark("shadow", tuple(shadows), opacity=0.3)


def _ghosts(picture: Picture, layout: Layout) -> Iterator[Mark]:
    """Where pieces stood that the last turn captured."""
    player = picture.victim_player
    for point in picture.captured:
        place, label = layout.places[point], picture.board.labels[point]
        if player is not None and point not in picture.pieces:
            yield Mark("ghost-piece", _body(Piece(player), place, 0.92 * PIECE_RADIUS), at=label, opacity=0.4)
        yield Mark("ghost", _cross(place, 0.17 * UNIT), at=label, title=f"captured on {label}")


def _cross(place: Place, arm: float) -> tuple[Shape, ...]:
    (x, y) = place
    strokes = (((x - arm, y - arm), (x + arm, y + arm)), ((x - arm, y + arm), (x + arm, y - arm)))
    rims = tuple(Polyline(stroke, stroke=palette.VICTIM_RIM, breadth=0.13 * UNIT) for stroke in strokes)
    return rims + tuple(Polyline(stroke, stroke=palette.VICTIM, breadth=0.075 * UNIT) for stroke in strokes)


def _halo(picture: Picture, layout: Layout) -> Iterator[Mark]:
    if picture.chain is None:
        return
    place, label = layout.places[picture.chain], picture.board.labels[picture.chain]
    glow = Disc(place, PIECE_RADIUS * 1.22, fill=palette.GLOW, stroke=palette.LEGAL, breadth=0.045 * UNIT)
    yield Mark("chain", (glow,), at=label, title=f"chain: the piece on {label} is to go on")


def _pieces(picture: Picture, layout: Layout) -> Iterator[Mark]:
    for point in sorted(picture.pieces):
        piece = Piece(*picture.pieces[point])
        place, label = layout.places[point], picture.board.labels[point]
        shapes = _body(piece, place, PIECE_RADIUS) + (_crown(piece.player, place) if piece.promoted else ())
        kind = f"piece {piece.title.lower()}"
        yield Mark(kind, shapes, at=label, title=f"{piece.title} on {label}")


def _body(piece: Piece, place: Place, radius: float) -> tuple[Shape, ...]:
    fill: Fill = palette.PIECE_FILL[piece.player]
    rim = Disc(place, radius, fill=fill, stroke=palette.PIECE_RIM[piece.player], breadth=0.035 * UNIT)
    groove = Disc(place, radius * 0.66, stroke=palette.PIECE_GROOVE[piece.player], breadth=0.03 * UNIT)
    return (rim,) if piece.promoted else (rim, groove)


def _crown(player: int, place: Place) -> tuple[Shape, ...]:
    (x, y), size = place, 0.92 * PIECE_RADIUS
    outline = tuple((x + size * dx, y + size * dy) for dx, dy in _CROWN)
    ring = Disc(place, 0.87 * PIECE_RADIUS, stroke=palette.CROWN_RING[player], breadth=0.05 * UNIT)
    crown = Polyline((*outline, outline[0]), fill=palette.CROWN, stroke=palette.CROWN_EDGE[player], breadth=0.03 * UNIT)
    return ring, crown


def _pending(picture: Picture, layout: Layout) -> Iterator[Mark]:
    for point in picture.pending:
        label = picture.board.labels[point]
        title = f"captured on {label}, not yet removed"
        yield Mark("pending", _cross(layout.places[point], 0.17 * UNIT), at=label, title=title)


def _legal(picture: Picture, layout: Layout) -> Iterator[Mark]:
    labels = picture.board.labels
    for point in picture.origins:
        place, radius = layout.places[point], PIECE_RADIUS * 1.1
        shapes = (
            Disc(place, radius, stroke=palette.LEGAL_RIM, breadth=0.1 * UNIT),
            Disc(place, radius, stroke=palette.LEGAL, breadth=0.055 * UNIT),
        )
        yield Mark("origin", shapes, at=labels[point], title=f"{labels[point]} may move")
    for point in picture.targets:
        dot = Disc(layout.places[point], 0.14 * UNIT, fill=palette.LEGAL, stroke=palette.LEGAL_RIM, breadth=0.05 * UNIT)
        yield Mark("target", (dot,), at=labels[point], title=f"target {labels[point]}")
