"""The talk of an engine with whoever has started it."""

from collections.abc import Iterator
from typing import IO

from ...bots.external.ugi_protocol import ProtocolError
from .ugi_engine import Engine

LONGEST_LINE = 1 << 20
"""Bytes of a command; ample for the longest match."""


def serve(engine: Engine, stream: IO[bytes]) -> None:
    """Lets an engine obey what it is sent until it is to quit, or nothing more can come."""
    try:
        for line in _read_lines(stream):
            if line is None:
                engine.complain(ProtocolError(f"a line is longer than {LONGEST_LINE} bytes; it was left out"))
            elif not engine.obey(line.decode(errors="replace")):
                break
    finally:
        engine.close()


def _read_lines(stream: IO[bytes]) -> Iterator[bytes | None]:
    """The lines of a stream; None for one that is too long."""
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) <= LONGEST_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE)
        yield None
