"""Packs bytes as text for a source file."""

import zlib
from base64 import b85decode, b85encode

COLUMNS = 116


def pack(data: bytes) -> str:
    """Compresses bytes to lines of text."""
    text = b85encode(zlib.compress(data, 9)).decode()
    return "\n".join(text[first : first + COLUMNS] for first in range(0, len(text), COLUMNS))


def unpack(text: str) -> bytes:
    """The bytes of a packed text."""
    return zlib.decompress(b85decode("".join(text.split())))
