"""The SVG elements that pictures are made of.

Places and lengths are in drawing units. `fill` and `stroke` are SVG colours, `breadth` is that of the stroke.
"""

from xml.sax.saxutils import escape, quoteattr

from .curves import Arc, Place


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
