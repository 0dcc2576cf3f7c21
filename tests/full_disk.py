"""Something like a full disk, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

resource = pytest.importorskip("resource", reason="there is no limit on files")


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Within it no file can become longer, as if the disk were full: part of what is written may still go in."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
