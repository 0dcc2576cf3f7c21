"""Pictures of positions: text, SVG, pixels and a window, all drawn from a `Picture`.

Importing this package does not load pygame; `draw_rgb` and `Window` do, and say how to install it where it is missing.
"""

from .picture import Picture, Piece
from .raster import draw_rgb
from .svg import draw_board, draw_piece, draw_svg
from .text import draw_text
from .window import Window

__all__ = [
    "Picture",
    "Piece",
    "Window",
    "draw_board",
    "draw_piece",
    "draw_rgb",
    "draw_svg",
    "draw_text",
]
