"""Pictures of positions: text, SVG, pixels and a window, all drawn from a `Picture`.

`draw_rgb` and `Window` need the extra `render`: pygame and resvg.
"""

from .picture import Picture, Piece
from .raster import draw_rgb
from .svg import draw_board, draw_piece, draw_svg
from .text import draw_text
from .window import Window

__all__ = ["Picture", "Piece", "Window", "draw_board", "draw_piece", "draw_rgb", "draw_svg", "draw_text"]
