"""Methods of strings, and functions of `textwrap`, `io` and `xml.sax.saxutils`."""

from collections.abc import Iterable
from typing import Any


def removeprefix(text: str, prefix: str) -> str:
    """As `str.removeprefix`."""
    return text[len(prefix) :] if prefix and text.startswith(prefix) else text


def removesuffix(text: str, suffix: str) -> str:
    """As `str.removesuffix`."""
    return text[: len(text) - len(suffix)] if suffix and text.endswith(suffix) else text


def isdecimal(text: str) -> bool:
    """As `str.isdecimal`, for ASCII."""
    return text.isdigit()


def isascii(text: str) -> bool:
    """As `str.isascii`."""
    return all(ord(letter) < 128 for letter in text)


def isprintable(text: str) -> bool:
    """As `str.isprintable`, for the controls of ASCII."""
    return all(ord(letter) >= 32 and ord(letter) != 127 for letter in text)


def get_close_matches(word: str, known: Iterable[str], n: int = 3, cutoff: float = 0.6) -> list[str]:
    """As `difflib.get_close_matches`, for short words."""
    rated = [(2 * _matching(each, word) / max(1, len(each) + len(word)), each) for each in known]
    return [each for ratio, each in sorted(rated, reverse=True)[:n] if ratio >= cutoff]


def _matching(one: str, other: str) -> int:
    """The letters of the longest common part, the first if there are several, and of those before and after it."""
    for size in range(min(len(one), len(other)), 0, -1):
        for start in range(len(one) - size + 1):
            at = other.find(one[start : start + size])
            if at >= 0:
                before = _matching(one[:start], other[:at])
                return before + size + _matching(one[start + size :], other[at + size :])
    return 0


def escape(text: str) -> str:
    """As `xml.sax.saxutils.escape`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoteattr(text: str) -> str:
    """As `xml.sax.saxutils.quoteattr`."""
    return '"' + escape(text).replace('"', "&quot;") + '"'


def fill(text: str, width: int, **_: Any) -> str:
    """As `textwrap.fill`, breaking at spaces alone."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


class StringIO:
    """As `io.StringIO` to read lines that end in any way."""

    def __init__(self, text: str, newline: None = None) -> None:  # noqa: ARG002
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._place = 0

    def readline(self, most: int) -> str:
        """The next line with its end, at most so many characters; an empty string at the end."""
        end = self._text.find("\n", self._place) + 1 or len(self._text)
        end = min(end, self._place + most)
        line = self._text[self._place : end]
        self._place = end
        return line
