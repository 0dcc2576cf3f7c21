"""Draws matches in the render modes of the environments."""

from typing import Any

from ..errors import UnknownNameError
from ..match.match import Match
from ..render import Window, draw_rgb, draw_svg, draw_text

RENDER_MODES = ("human", "rgb_array", "ansi", "svg")
RENDER_FPS = 2


def check_render_mode(mode: str | None) -> str | None:
    """Returns a known render mode.

    Raises:
      UnknownNameError: If the mode is not known.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownNameError("render mode", mode, RENDER_MODES)
    return mode


class Renderer:
    """Draws matches in one mode. The window opens on first use; copies do not share it.

    Args:
      mode: One of `RENDER_MODES`, or None to draw nothing.
    """

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self._window: Window | None = None

    def draw(self, match: Match) -> Any:
        """Draws a match.

        Returns:
          str for "ansi" and "svg", uint8 `[H, W, 3]` for "rgb_array"; None for "human", which shows a window, and for
          no mode, which warns.

        Raises:
          MissingExtraError: If the mode needs the extra `render`, which is not installed.
        """
        if self.mode is None:
            from gymnasium import logger

            logger.warn("render() without a render_mode draws nothing; pass render_mode when you make the environment")
            return None
        picture = match.picture()
        if self.mode == "ansi":
            return draw_text(picture)
        if self.mode == "svg":
            return draw_svg(picture)
        if self.mode == "rgb_array":
            return draw_rgb(picture)
        if self._window is None:
            self._window = Window(title=match.game.title, fps=RENDER_FPS)
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Closes the window if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
