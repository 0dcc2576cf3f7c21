"""Reads the commands of an engine from a stream."""

from collections.abc import Iterator
from typing import IO

from ...bots.external.ugi_protocol import ProtocolError
from .ugi_engine import Engine

MAX_LINE = 1 << 20
"""Bytes of the longest command, enough for the longest match."""


def serve(engine: Engine, stream: IO[bytes]) -> None:
    """Lets an engine handle the commands in a stream until it has to quit or the stream ends."""
    try:
        for line in _read_lines(stream):
            if line is None:
                engine.report_error(ProtocolError(f"a line is longer than {MAX_LINE} bytes; it is ignored"))
            elif not engine.handle(line.decode(errors="replace")):
                break
    finally:
        engine.close()


def _read_lines(stream: IO[bytes]) -> Iterator[bytes | None]:
    """The lines of a stream; None for a line that is too long."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None
