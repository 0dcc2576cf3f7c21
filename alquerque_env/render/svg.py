"""Draws a picture as SVG that stands alone: no fonts, images or style sheets from elsewhere."""

from functools import singledispatch
from xml.sax.saxutils import escape, quoteattr

from .geometry import Place
from .picture import Picture, Piece
from .scene import compose, compose_board, compose_piece
from .shapes import Curve, Disc, Fill, Mark, Polyline, Radial, Shape, Slab, Vertical, Words

_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def draw_svg(picture: Picture, *, size: int | None = 480) -> str:
    """Draws a picture as SVG.

    Every edge, point, piece and mark is one element whose class says what it is and whose `data-at` holds the label
    of its point, so that a page can find and style it.

    Args:
      picture: What to show.
      size: Length of the longer side in pixels, or None to leave the size to the page.

    Returns:
      An SVG document without XML declaration, fit to be put into HTML.
    """
    layout, marks = compose(picture)
    width, height = layout.size
    shown = (
        ""
        if size is None
        else "".join(
            f' {name}="{_number(side * size / max(width, height))}"'
            for name, side in (("width", width), ("height", height))
        )
    )
    body = "\n".join(_mark(mark) for mark in marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(width)} {_number(height)}"{shown} role="img"'
        f' font-family="{_FONT}" font-weight="600" stroke-linecap="round" stroke-linejoin="round">\n'
        f"<title>{escape(picture.title)}</title>\n<desc>{escape(picture.description)}</desc>\n"
        f"<defs>{''.join(_define(fill) for fill in _fills(marks))}</defs>\n{body}\n</svg>\n"
    )


def draw_board(picture: Picture) -> str:
    """What stands inside the SVG element of a board without pieces: fills, frame, lines, points and labels."""
    _, marks = compose_board(picture)
    return f"<defs>{''.join(_define(fill) for fill in _fills(marks))}</defs>\n" + "\n".join(map(_mark, marks))


def draw_piece(piece: Piece) -> str:
    """An SVG group of a piece on the place (0, 0), with the fills that it needs."""
    mark = compose_piece(piece)
    return f"<defs>{''.join(_define(fill) for fill in _fills((mark,)))}</defs>{_mark(mark)}"


def _mark(mark: Mark) -> str:
    attributes = f" class={quoteattr(mark.kind)}"
    if mark.at:
        attributes += f" data-at={quoteattr(mark.at)}"
    if mark.opacity != 1.0:
        attributes += f' opacity="{_number(mark.opacity)}"'
    title = f"<title>{escape(mark.title)}</title>" if mark.title else ""
    return f"<g{attributes}>{title}{''.join(_element(shape) for shape in mark.shapes)}</g>"


@singledispatch
def _element(shape: Shape) -> str:
    raise TypeError(f"cannot draw {shape!r}")


@_element.register
def _(shape: Disc) -> str:
    x, y = shape.centre
    return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(shape.radius)}"{_style(shape)}/>'


@_element.register
def _(shape: Polyline) -> str:
    return f'<path d="M{"L".join(_place(place) for place in shape.places)}"{_style(shape)}/>'


@_element.register
def _(shape: Curve) -> str:
    arc = shape.arc
    flags = f"0 {int(abs(arc.sweep) > 3.14159)} {int(arc.sweep > 0)}"
    path = f"M{_place(arc.start)}A{_number(arc.radius)} {_number(arc.radius)} {flags} {_place(arc.end)}"
    return f'<path d="{path}"{_style(shape)}/>'


@_element.register
def _(shape: Slab) -> str:
    (x, y), (width, height) = shape.corner, shape.size
    box = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
    return f'<rect {box} rx="{_number(shape.rounding)}"{_style(shape)}/>'


@_element.register
def _(shape: Words) -> str:
    # A third of the font below the middle: renderers disagree on dominant-baseline.
    place = f'x="{_number(shape.place[0])}" y="{_number(shape.place[1] + 0.35 * shape.size)}"'
    size = f'font-size="{_number(shape.size)}" text-anchor="middle"'
    return f"<text {place} {size}{_style(shape)}>{escape(shape.text)}</text>"


def _style(shape: Shape) -> str:
    style = f' fill="{_paint(shape.fill)}"'
    if shape.stroke is not None:
        style += f' stroke="{shape.stroke}" stroke-width="{_number(shape.breadth)}"'
    return style


def _paint(fill: Fill | None) -> str:
    if fill is None:
        return "none"
    return fill if isinstance(fill, str) else f"url(#alquerque-{fill.name})"


def _fills(marks: tuple[Mark, ...]) -> list[Radial | Vertical]:
    fills = (shape.fill for mark in marks for shape in mark.shapes)
    return list(dict.fromkeys(fill for fill in fills if isinstance(fill, (Radial, Vertical))))


def _define(fill: Radial | Vertical) -> str:
    stops = (fill.inner, fill.outer) if isinstance(fill, Radial) else (fill.top, fill.bottom)
    inside = "".join(f'<stop offset="{i}" stop-color="{colour}"/>' for i, colour in enumerate(stops))
    if isinstance(fill, Vertical):
        return f'<linearGradient id="alquerque-{fill.name}" x2="0" y2="1">{inside}</linearGradient>'
    focus = " ".join(f'f{axis}="{_number(0.5 + 0.5 * at)}"' for axis, at in zip("xy", fill.spot, strict=True))
    return f'<radialGradient id="alquerque-{fill.name}" {focus}>{inside}</radialGradient>'


def _place(place: Place) -> str:
    return f"{_number(place[0])} {_number(place[1])}"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
