"""A window that shows the pictures of a match."""

import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from .picture import Picture, printable
from .raster import draw_surface, require_render_extra

if TYPE_CHECKING:
    import pygame


_LEAST_SIZE = 640


class Window(AbstractContextManager["Window"]):
    """A window on the screen. It opens with the first picture, and its user may close it at any time.

    Args:
      size: Length of the longer side of the pictures in pixels; None for the size of the board, at least 640.
      fps: Most pictures per second, 0 for no limit; `show` waits if they come faster.
      title: Text of the title bar.

    Raises:
      MissingExtraError: If pygame or resvg is not installed.
    """

    def __init__(self, *, size: int | None = None, fps: float = 4.0, title: str = "alquerque") -> None:
        require_render_extra()
        self.size = size
        self.fps = fps
        self._title = printable(title)
        self._window: pygame.Window | None = None
        self._due = 0.0
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen."""
        return self._window is not None

    @property
    def is_closed(self) -> bool:
        """Whether the window was closed, by its user or by `close`. A closed window cannot be opened again."""
        return self._closed

    def show(self, picture: Picture) -> bool:
        """Shows a picture, after a wait if `fps` requires it.

        Returns:
          Whether the window is still open.
        """
        if not self.pump():
            return False
        surface = draw_surface(picture, self.size or max(_LEAST_SIZE, picture.board.picture_size))
        window = self._opened(surface.get_size())
        if not self._wait():
            return False
        window.get_surface().blit(surface, (0, 0))
        window.flip()
        return True

    def pump(self) -> bool:
        """Handles the window's events; call it while there is no new picture.

        Returns:
          Whether the window is still open.
        """
        import pygame

        if self._window is None:
            return not self._closed
        if not pygame.display.get_init():
            self.close()
            return False
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.WINDOWCLOSE and event.window == self._window):
                self.close()
            elif event.type == pygame.WINDOWCLOSE:
                # The event of another window: its own `pump` handles it.
                pygame.event.post(event)
        return not self._closed

    def close(self) -> None:
        """Closes the window; has no effect if it is closed."""
        if self._window is not None:
            self._window.destroy()
        self._window = None
        self._closed = True

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _opened(self, size: tuple[int, int]) -> "pygame.Window":
        import pygame

        if self._window is None:
            pygame.display.init()
            self._window = pygame.Window(self._title, size)
        elif self._window.size != size:
            self._window.size = size
        return self._window

    def _wait(self) -> bool:
        """Waits until the next picture is due and handles events meanwhile; returns False if the window is closed."""
        while (left := self._due - time.monotonic()) > 0:
            if not self.pump():
                return False
            time.sleep(min(left, 0.02))
        self._due = time.monotonic() + (1 / self.fps if self.fps else 0.0)
        return True
