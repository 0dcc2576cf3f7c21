"""Reads the commands of an engine from a stream."""

from ...bots.external.ugi_protocol import ProtocolError
from ...files.input_lines import Bytes, read_lines
from .ugi_engine import Engine

MAX_LINE = 1 << 20
"""Characters of the longest command, enough for the longest match."""


def serve(engine: Engine, stream: Bytes) -> None:
    """Lets an engine handle the commands in a stream until it has to quit or the stream ends."""
    try:
        for line in read_lines(stream, MAX_LINE):
            if line is None:
                engine.report_error(ProtocolError(f"a line is longer than {MAX_LINE} characters; it is ignored"))
            elif not engine.handle(line):
                break
    finally:
        engine.close()
