"""Sentences of the documentation are short enough to be read once."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *(ROOT / "docs").rglob("*.md"),
]
LONGEST = 34
"""Words."""

NO_SENTENCE = re.compile(r"^```.*?^```|^\|[^\n]*$|^#[^\n]*$|<!--.*?-->|\]\([^)\s]*\)", re.M | re.S)
"""Blocks of code, rows of tables, headings, comments, and the targets of links."""
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)")
SENTENCE = re.compile(r"(?<=[.!?:])[\"”)]?\s+(?=[A-Z`\[*\"(])")
MOVE = re.compile(r"@?[a-z]*\d+([-x@^][a-z]*\d+)*\.?")
"""A move in a line of play, which is no word."""


def sentences(text: str) -> Iterator[str]:
    for paragraph in PARAGRAPH.split(NO_SENTENCE.sub("\n", text)):
        yield from SENTENCE.split(" ".join(paragraph.split()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_of_the_documentation_is_long(page: Path) -> None:
    for sentence in sentences(page.read_text(encoding="utf-8")):
        words = [word for word in sentence.split() if re.search(r"\w", word) and not MOVE.fullmatch(word)]
        assert len(words) <= LONGEST, sentence
