"""A window that shows pictures while a match goes on."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .picture import Picture, printable
from .raster import draw_surface, require_render_extra

if TYPE_CHECKING:
    import pygame


class Window:
    """A window on the screen. Opens with the first picture and can be closed by its user at any time.

    Attributes:
      size: Length of the longer side of the pictures in pixels.
      fps: Pictures a second at most; `show` waits where they come faster. 0 for no limit.
    """

    def __init__(self, *, size: int = 640, fps: float = 4.0, title: str = "alquerque") -> None:
        """Prepares a window without opening it.

        Args:
          size: Length of the longer side in pixels.
          fps: Pictures a second at most, 0 for no limit.
          title: What stands in the title bar.

        Raises:
          MissingExtraError: If pygame or resvg is not installed.
        """
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
        """Whether the window was closed, by its user or by `close`; it stays closed."""
        return self._closed

    def show(self, picture: Picture) -> bool:
        """Shows a picture, no sooner than `fps` allows.

        Args:
          picture: What to show.

        Returns:
          Whether it was shown: False once the window is closed.
        """
        if not self.pump():
            return False
        surface = draw_surface(picture, self.size)
        window = self._opened(surface.get_size())
        if not self._wait():
            return False
        window.get_surface().blit(surface, (0, 0))
        window.flip()
        return True

    def pump(self) -> bool:
        """Lets the window answer its user; call it from time to time while nothing new is shown.

        Returns:
          False once the window is closed.
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
                # Another window's: left for its own pump.
                pygame.event.post(event)
        return not self._closed

    def close(self) -> None:
        """Closes the window; does nothing where it is closed already."""
        if self._window is not None:
            self._window.destroy()
        self._window = None
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        """Waits until the next picture is due, answering the user meanwhile; False once the window is closed."""
        while (left := self._due - time.monotonic()) > 0:
            if not self.pump():
                return False
            time.sleep(min(left, 0.02))
        self._due = time.monotonic() + (1 / self.fps if self.fps else 0.0)
        return True
