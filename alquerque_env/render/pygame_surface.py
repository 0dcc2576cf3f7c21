"""Paints a picture on a pygame surface. The only module besides the window that needs pygame."""

import math
from collections.abc import Callable
from functools import singledispatchmethod
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pygame

from .geometry import Place
from .palette import FRAME
from .picture import Picture
from .scene import compose
from .shapes import Curve, Disc, Mark, Polyline, Radial, Shape, Slab, Vertical, Words

# Pixels painted for each pixel shown, along either axis.
_SUPERSAMPLING = 3
_SHADES = 28
# pygame takes the size of its own font for more than the height of the em square.
_EM = 0.6875


def paint(picture: Picture, size: int) -> pygame.Surface:
    """Paints a picture on a surface of its own.

    Args:
      picture: What to show.
      size: Length of the longer side in pixels.

    Returns:
      A surface without alpha channel.

    Raises:
      ValueError: If the size is not positive.
    """
    if size < 1:
        raise ValueError(f"size is {size!r}, expected at least 1 pixel")
    layout, marks = compose(picture)
    width, height = layout.size
    shown = (max(1, round(width * size / max(layout.size))), max(1, round(height * size / max(layout.size))))
    fine = pygame.Surface((shown[0] * _SUPERSAMPLING, shown[1] * _SUPERSAMPLING), 0, 32)
    # Pixels have no transparency: what an SVG leaves open outside the round corners is filled like the frame.
    fine.fill(FRAME.bottom)
    painter = _Painter(fine, _SUPERSAMPLING * size / max(layout.size))
    for mark in marks:
        painter.draw(mark)
    return pygame.transform.smoothscale(fine, shown)


def pixels(surface: pygame.Surface) -> npt.NDArray[np.uint8]:
    """The colours of a surface as `[H, W, 3]` uint8."""
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


class _Painter:
    """Draws shapes on a surface; `scale` is pixels for a drawing unit, `origin` the place of the upper left pixel."""

    def __init__(self, surface: pygame.Surface, scale: float, origin: Place = (0.0, 0.0)) -> None:
        self.surface = surface
        self.scale = scale
        self.origin = origin
        self.fonts: dict[int, pygame.font.Font] = {}

    def draw(self, mark: Mark) -> None:
        """Draws a mark, by way of a surface of its own where it lets things below shine through."""
        if mark.opacity == 1.0:
            for shape in mark.shapes:
                self.shape(shape)
            return
        boxes = [_box(shape) for shape in mark.shapes]
        left, top = (min(box[axis] for box in boxes) for axis in (0, 1))
        right, bottom = (max(box[axis] for box in boxes) for axis in (2, 3))
        corner = (math.floor(left * self.scale), math.floor(top * self.scale))
        size = (math.ceil(right * self.scale) - corner[0] + 1, math.ceil(bottom * self.scale) - corner[1] + 1)
        layer = pygame.Surface(size, pygame.SRCALPHA, 32)
        painter = _Painter(layer, self.scale, (corner[0] / self.scale, corner[1] / self.scale))
        for shape in mark.shapes:
            painter.shape(shape)
        layer.set_alpha(round(255 * mark.opacity))
        self.surface.blit(layer, corner)

    @singledispatchmethod
    def shape(self, shape: Shape) -> None:
        """Draws one shape."""
        raise TypeError(f"cannot draw {shape!r}")

    @shape.register
    def _(self, shape: Disc) -> None:
        half = shape.breadth / 2
        if isinstance(shape.fill, Radial):
            self._shade(shape, shape.fill)
        elif isinstance(shape.fill, str):
            pygame.draw.circle(self.surface, shape.fill, self._place(shape.centre), shape.radius * self.scale)
        if shape.stroke is not None:
            outer, breadth = (shape.radius + half) * self.scale, max(1, round(shape.breadth * self.scale))
            pygame.draw.circle(self.surface, shape.stroke, self._place(shape.centre), outer, breadth)

    @shape.register
    def _(self, shape: Polyline) -> None:
        places = [self._place(place) for place in shape.places]
        if shape.fill is not None:
            self._fill(shape, lambda surface, colour: pygame.draw.polygon(surface, colour, places))
        if shape.stroke is not None:
            self._stroke(places, shape.stroke, shape.breadth)

    @shape.register
    def _(self, shape: Curve) -> None:
        if shape.stroke is not None:
            self._stroke([self._place(place) for place in shape.arc.polyline], shape.stroke, shape.breadth)

    @shape.register
    def _(self, shape: Slab) -> None:
        corner, size = self._place(shape.corner), (shape.size[0] * self.scale, shape.size[1] * self.scale)
        box, rounding = pygame.Rect(*map(round, (*corner, *size))), round(shape.rounding * self.scale)
        self._fill(shape, lambda surface, colour: pygame.draw.rect(surface, colour, box, border_radius=rounding))
        if shape.stroke is not None:
            breadth = max(1, round(shape.breadth * self.scale))
            around = box.inflate(breadth, breadth)
            pygame.draw.rect(self.surface, shape.stroke, around, breadth, border_radius=rounding + breadth // 2)

    @shape.register
    def _(self, shape: Words) -> None:
        pygame.font.init()
        size = max(1, round(shape.size * self.scale / _EM))
        font = self.fonts.setdefault(size, pygame.font.Font(None, size))
        colour = shape.fill if isinstance(shape.fill, str) else "black"
        text = font.render(shape.text, True, colour)
        x, y = self._place(shape.place)
        baseline = y + 0.35 * shape.size * self.scale
        self.surface.blit(text, (round(x - text.get_width() / 2), round(baseline - font.get_ascent())))

    def _place(self, place: Place) -> Place:
        return (place[0] - self.origin[0]) * self.scale, (place[1] - self.origin[1]) * self.scale

    def _shade(self, disc: Disc, fill: Radial) -> None:
        """Shades a disc by ever smaller circles that close in on the spot."""
        inner, outer = pygame.Color(fill.inner), pygame.Color(fill.outer)
        x, y = self._place(disc.centre)
        for i in range(_SHADES):
            share = i / (_SHADES - 1)
            radius = disc.radius * self.scale * (1 - share)
            shift = share * disc.radius * self.scale
            centre = (x + fill.spot[0] * shift, y + fill.spot[1] * shift)
            pygame.draw.circle(self.surface, outer.lerp(inner, share), centre, max(1.0, radius))

    def _fill(self, shape: Shape, draw: Callable[[pygame.Surface, str], object]) -> None:
        """Fills what `draw` draws with the shape's fill."""
        if not isinstance(shape.fill, Vertical):
            draw(self.surface, str(shape.fill))
            return
        layer = pygame.Surface(self.surface.get_size(), pygame.SRCALPHA, 32)
        draw(layer, "white")
        box = layer.get_bounding_rect()
        shades = pygame.Surface((1, 2), 0, 32)
        shades.set_at((0, 0), shape.fill.top)
        shades.set_at((0, 1), shape.fill.bottom)
        layer.blit(pygame.transform.smoothscale(shades, box.size), box, special_flags=pygame.BLEND_RGB_MULT)
        self.surface.blit(layer, (0, 0))

    def _stroke(self, places: list[Place], colour: str, breadth: float) -> None:
        """Strokes with round ends and joints."""
        half = breadth * self.scale / 2
        for place in places:
            pygame.draw.circle(self.surface, colour, place, half)
        for (ax, ay), (bx, by) in pairwise(places):
            length = math.hypot(bx - ax, by - ay)
            if length:
                across = ((ay - by) / length * half, (bx - ax) / length * half)
                corners = [
                    (ax + across[0], ay + across[1]),
                    (bx + across[0], by + across[1]),
                    (bx - across[0], by - across[1]),
                    (ax - across[0], ay - across[1]),
                ]
                pygame.draw.polygon(self.surface, colour, corners)


def _box(shape: Shape) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a shape with its outline."""
    half = shape.breadth / 2
    match shape:
        case Disc():
            places: tuple[Place, ...] = (shape.centre,)
            half += shape.radius
        case Polyline():
            places = shape.places
        case Curve():
            places = shape.arc.polyline
        case Slab():
            places = (shape.corner, (shape.corner[0] + shape.size[0], shape.corner[1] + shape.size[1]))
        case _:
            raise TypeError(f"cannot see through {shape!r}")
    xs, ys = zip(*places, strict=True)
    return min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half
