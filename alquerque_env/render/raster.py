"""Draws a picture as pixels: the SVG picture, rasterised by resvg."""

import io
import os
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import require
from .geometry import lay_out
from .palette import FRAME_BOTTOM
from .picture import Picture
from .svg import draw_svg

if TYPE_CHECKING:
    import pygame


def draw_rgb(picture: Picture, *, size: int | None = None) -> npt.NDArray[np.uint8]:
    """Draws a picture as pixels, with the look of `draw_svg`. Opens no window and needs no display.

    Args:
      picture: What to show.
      size: Length of the longer side in pixels; None for the board's own.

    Returns:
      `[H, W, 3]` uint8, red, green and blue in 0 to 255. The shape depends on the board and `size` only.

    Raises:
      MissingExtraError: If pygame or resvg is not installed.
      ValueError: If the size is not positive.
    """
    surface = draw_surface(picture, picture.board.picture_size if size is None else size)
    import pygame

    return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


def draw_surface(picture: Picture, size: int) -> "pygame.Surface":
    """Draws a picture on a pygame surface of its own; arguments and errors are those of `draw_rgb`."""
    png = draw_png(picture, size)
    import pygame

    return pygame.image.load(io.BytesIO(png), "picture.png")


def draw_png(picture: Picture, size: int) -> bytes:
    """Draws a picture as a PNG file; arguments and errors are those of `draw_rgb`."""
    if size < 1:
        raise ValueError(f"size is {size!r}, expected at least 1 pixel")
    require_render_extra()
    import pygame
    import resvg_py

    width, height = lay_out(picture.board, picture.turned).size
    png = resvg_py.svg_to_bytes(
        svg_string=draw_svg(picture, size=size),
        width=max(1, round(width * size / max(width, height))),
        height=max(1, round(height * size / max(width, height))),
        # The SVG leaves the corners outside the rounded frame open; pixels have no transparency.
        background=FRAME_BOTTOM,
        # The font that comes with pygame gives the same picture on every system, with or without fonts of its own.
        skip_system_fonts=True,
        font_files=[str(files(pygame) / pygame.font.get_default_font())],
        sans_serif_family="FreeSans",
    )
    return bytes(png)


def require_render_extra() -> None:
    """Imports pygame, without the greeting that it prints, and resvg, or raises `MissingExtraError`."""
    # The greeting would spoil output that programs read.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    require("pygame", "render")
    require("resvg_py", "render")
