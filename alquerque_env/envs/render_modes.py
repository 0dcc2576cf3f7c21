"""Draws matches in the render modes of the environments."""

from abc import ABC, abstractmethod
from typing import Any

from gymnasium import logger

from ..errors import UnknownNameError
from ..match.match import Match
from ..render import Window, draw_rgb, draw_svg, draw_text

RENDER_MODES = ("human", "rgb_array", "ansi", "svg")
RENDER_FPS = 2


def check_render_mode(mode: str | None) -> str | None:
    """Returns a known render mode, or raises `UnknownNameError`."""
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownNameError("render mode", mode, RENDER_MODES)
    return mode


class Rendered(ABC):
    """Draws the match of an environment in its render mode. The window opens on first use; copies do not share it."""

    render_mode: str | None
    _window: Window | None = None

    @property
    @abstractmethod
    def match(self) -> Match:
        """The match so far, as a `Match` of its own."""

    def render(self) -> Any:
        """Draws the match in the render mode.

        Returns:
          Text for "ansi", SVG for "svg", uint8 `[H, W, 3]` for "rgb_array"; None for "human", which shows a window, and
          without a render mode, which warns.

        Raises:
          MissingExtraError: If the render mode needs the extra `render`, which is not installed.
        """
        if self.render_mode is None:
            logger.warn("render() without a render_mode draws nothing; pass render_mode when you make the environment")
            return None
        match = self.match
        picture = match.picture()
        if self.render_mode == "ansi":
            return draw_text(picture)
        if self.render_mode == "svg":
            return draw_svg(picture)
        if self.render_mode == "rgb_array":
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

    def _show(self) -> None:
        """Updates the window if the render mode has one."""
        if self.render_mode == "human":
            self.render()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}
