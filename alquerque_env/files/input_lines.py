"""Lines of text from other programs, however their system writes text."""

import codecs
import io
from collections.abc import Iterator
from typing import Protocol

CHUNK = 1 << 16


class Bytes(Protocol):
    """A stream of bytes that are read as soon as they are there."""

    def read1(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


def read_lines(stream: Bytes, most: int, encoding: str = "utf-8") -> Iterator[str | None]:
    """Reads lines as soon as they are there, each without its end; None for one that has more characters than `most`.

    Lines end with LF, CRLF or CR, the last one perhaps with nothing. Bytes that are no text become U+FFFD. The encoding
    is that of a text that does not show another one: UTF-8 with a byte order mark, or UTF-16.
    """
    begin = b""
    while len(begin) < 2 and (chunk := stream.read1(CHUNK)):
        begin += chunk
    text = codecs.getincrementaldecoder(_shown_encoding(begin) or encoding)("replace")
    decoder = io.IncrementalNewlineDecoder(text, translate=True)
    line: str | None = ""
    chunk = begin
    while True:
        *ended, rest = decoder.decode(chunk, final=not chunk).split("\n")
        for part in ended:
            yield _joined(line, part, most)
            line = ""
        line = _joined(line, rest, most)
        if not chunk:
            break
        chunk = stream.read1(CHUNK)
    if line != "":
        yield line


def _joined(line: str | None, part: str, most: int) -> str | None:
    """A line that goes on; None if it is too long."""
    return None if line is None or len(line) + len(part) > most else line + part


def _shown_encoding(begin: bytes) -> str | None:
    """The encoding that the first two bytes of a text show; None if they show none."""
    if begin[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    if begin[:2] == codecs.BOM_UTF8[:2]:
        return "utf-8-sig"
    # The first character of a command is in ASCII; a zero before the end of a line is no sign of UTF-16.
    if 0 in begin[:2] and max(begin[:2]) >= ord(" "):
        return "utf-16-be" if begin[0] == 0 else "utf-16-le"
    return None
