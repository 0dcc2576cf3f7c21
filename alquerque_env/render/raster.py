"""Draws a picture as pixels."""

import os

import numpy as np
import numpy.typing as npt

from ..errors import require
from .picture import Picture


def draw_rgb(picture: Picture, *, size: int = 480) -> npt.NDArray[np.uint8]:
    """Draws a picture as pixels, with the look of `draw_svg`. Opens no window and needs no display.

    Args:
      picture: What to show.
      size: Length of the longer side in pixels.

    Returns:
      `[H, W, 3]` uint8, red, green and blue in 0 to 255. The shape depends on the board and `size` only.

    Raises:
      MissingExtraError: If pygame is not installed.
      ValueError: If the size is not positive.
    """
    require_pygame()
    from .pygame_surface import paint, pixels

    return pixels(paint(picture, size))


def require_pygame() -> None:
    """Imports pygame without the greeting that it prints, which would spoil output that programs read.

    Raises:
      MissingExtraError: If pygame is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    require("pygame", "render")
