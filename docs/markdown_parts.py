"""Pieces of Markdown pages. Each ends with a line break."""

import textwrap
from collections.abc import Iterable

WIDTH = 128


def rows(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [list(head), *(list(cells) for cells in body)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n" for cells in lines)


def paragraph(text: str) -> str:
    """A paragraph, wrapped."""
    return _wrap(text, "")


def bullets(items: Iterable[str]) -> str:
    """A list, wrapped."""
    return "".join(_wrap(item, "* ") for item in items)


def numbered(items: Iterable[str]) -> str:
    """A numbered list, wrapped."""
    return "".join(_wrap(item, f"{number}. ") for number, item in enumerate(items, 1))


def code(language: str, *lines: str) -> str:
    """A block of code."""
    return "\n".join([f"```{language}", *lines, "```\n"])


def _wrap(text: str, mark: str) -> str:
    # A break at a hyphen would put a space into steps such as c2-c3.
    indent = " " * len(mark)
    return textwrap.fill(text, WIDTH, initial_indent=mark, subsequent_indent=indent, break_on_hyphens=False) + "\n"
