"""The few shapes that a picture is made of, in drawing units; SVG and raster draw these and nothing else."""

from dataclasses import dataclass

from .geometry import Arc, Place


@dataclass(frozen=True)
class Radial:
    """A fill from a bright spot to the rim of a disc.

    Attributes:
      name: Identifies the fill.
      inner: Colour at the spot, as `#rrggbb`.
      outer: Colour at the rim.
      spot: Place of the spot, from -1 to 1 in parts of the radius.
    """

    name: str
    inner: str
    outer: str
    spot: Place


@dataclass(frozen=True)
class Vertical:
    """A fill from the top of a shape to its bottom.

    Attributes:
      name: Identifies the fill.
      top: Colour at the top, as `#rrggbb`.
      bottom: Colour at the bottom.
    """

    name: str
    top: str
    bottom: str


Fill = str | Radial | Vertical


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What all shapes share.

    Attributes:
      fill: Colour or shading inside, None for nothing.
      stroke: Colour of the outline, None for no outline.
      breadth: Breadth of the outline.
    """

    fill: Fill | None = None
    stroke: str | None = None
    breadth: float = 0.0


@dataclass(frozen=True)
class Disc(Shape):
    """A circle."""

    centre: Place
    radius: float


@dataclass(frozen=True)
class Polyline(Shape):
    """Strokes from place to place with round ends; a polygon where it has a fill."""

    places: tuple[Place, ...]


@dataclass(frozen=True)
class Curve(Shape):
    """A stroke along an arc."""

    arc: Arc


@dataclass(frozen=True)
class Slab(Shape):
    """A rectangle with round corners."""

    corner: Place
    size: tuple[float, float]
    rounding: float


@dataclass(frozen=True)
class Words(Shape):
    """A line of text around its middle; `size` is the height of the font."""

    text: str
    place: Place
    size: float


@dataclass(frozen=True)
class Mark:
    """Shapes that mean one thing together.

    Attributes:
      kind: What they mean, such as `piece` or `edge`.
      shapes: The shapes, the lowest first.
      at: Label of the point or points that they belong to.
      title: What they mean, in words.
      opacity: From 0, invisible, to 1.
    """

    kind: str
    shapes: tuple[Shape, ...]
    at: str = ""
    title: str = ""
    opacity: float = 1.0
