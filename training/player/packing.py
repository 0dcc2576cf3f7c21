"""Bytes as text that a source file can hold."""

import zlib
from binascii import a2b_base64, b2a_base64

COLUMNS = 116


def pack(data: bytes) -> str:
    """Compresses bytes to lines of text."""
    text = b2a_base64(zlib.compress(data, 9), newline=False).decode()
    return "\n".join(text[first : first + COLUMNS] for first in range(0, len(text), COLUMNS))


def unpack(text: str) -> bytes:
    """The bytes of a packed text."""
    return zlib.decompress(a2b_base64(text))
