"""Keeps what Ray prints away from standard output, which may be read as JSON."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _WithoutRay:
    """A stream that passes on what Ray's own threads write to standard error.

    Ray prints when a node dies, whatever its logging level.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes a text."""
        is_rays = threading.current_thread().name.startswith("ray_")
        return int((sys.stderr if is_rays else self._stream).write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def ray_prints_to_stderr() -> Iterator[None]:
    """During the context, what Ray prints goes to standard error."""
    before = sys.stdout
    sys.stdout = own = _WithoutRay(before)
    try:
        yield
    finally:
        if sys.stdout is own:
            sys.stdout = before
