"""What the terminal can show, and text laid out for its width."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import plain_text

if TYPE_CHECKING:
    from ...render import Picture

_MAX_WIDTH = 100
# One character of each kind that `draw_text` uses.
_GLYPHS = "○●♔♚·×◇─│╱╲┼╳"
# Values of TERM without fonts for the kings.
_PLAIN_TERMINALS = ("dumb", "linux")


@dataclass(frozen=True)
class Terminal:
    """What the output can show: box-drawing characters and pieces, colours, columns of text."""

    unicode: bool
    color: bool
    width: int

    def say(self, text: str = "") -> None:
        """Prints lines, without control characters and those that the terminal lacks."""
        print(self.plain(plain_text(text)))

    def draw(self, picture: "Picture") -> str:
        """Draws a picture with the characters and colours of the terminal."""
        from ...render import draw_text  # only a command that shows a board needs it

        return draw_text(picture, unicode=self.unicode, color=self.color, width=self.width)

    def wrap(self, text: str, indent: str = "", first: str | None = None) -> str:
        """Breaks a paragraph into lines that begin with `indent`, or with `first` the first one."""
        opening = indent if first is None else first
        return textwrap.fill(
            self.plain(plain_text(text)),
            self.width,
            initial_indent=opening,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def bullets(self, sentences: Iterable[str]) -> Iterator[str]:
        """Lines of a list, one entry a sentence."""
        return (self.wrap(sentence, "  ", "- ") for sentence in sentences)

    def table(self, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Lines with two columns, the second one wrapped."""
        breadth = max(len(name) for name, _ in rows)
        return (self.wrap(text, " " * (breadth + 4), f"  {name:<{breadth}}  ") for name, text in rows)

    def plain(self, text: str) -> str:
        """Replaces characters that the terminal lacks."""
        return text if self.unicode else text.replace("…", "...").encode("ascii", "replace").decode()

    def columns(self, items: Sequence[str]) -> str:
        """Lays out short items in columns, row by row."""
        breadth = max(len(item) for item in items) + 3
        across = max(1, (self.width - 2) // breadth)
        rows = (items[first : first + across] for first in range(0, len(items), across))
        return "\n".join(("  " + "".join(f"{item:<{breadth}}" for item in row)).rstrip() for row in rows)


def find_terminal(*, ascii_only: bool = False) -> Terminal:
    """Finds out what standard output can show; with `ascii_only` no more than ASCII characters."""
    named = os.environ.get("TERM", "")
    return Terminal(
        unicode=not ascii_only and named not in _PLAIN_TERMINALS and _can_encode(_GLYPHS),
        color=sys.stdout.isatty() and not os.environ.get("NO_COLOR") and named != "dumb",
        width=max(20, min(_MAX_WIDTH, shutil.get_terminal_size().columns)),
    )


def align(rows: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Lines with two columns, the second one aligned."""
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    return (f"{name:<{width}}  {text}" for name, text in listed)


def join_words(words: Iterable[str], last: str = "or") -> str:
    """`a, b or c`."""
    listed = list(words)
    return f" {last} ".join(part for part in (", ".join(listed[:-1]), listed[-1]) if part)


def _can_encode(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
