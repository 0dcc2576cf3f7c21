"""The tour quotes its five files as they are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
STATIONS = re.findall(r"^## \d\. [^`\n]*: `([^`\n]*)`\n(.*?)(?=^## )", TOUR, re.DOTALL | re.MULTILINE)


def test_the_tour_has_five_files() -> None:
    assert len(STATIONS) == len(re.findall(r"^## \d", TOUR, re.MULTILINE)) == 5


@pytest.mark.parametrize(("file", "text"), STATIONS, ids=[file for file, _ in STATIONS])
def test_the_lines_that_the_tour_quotes_stand_in_their_file_in_that_order(file: str, text: str) -> None:
    lines = iter((ROOT / file).read_text(encoding="utf-8").splitlines())
    quotes = re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert quotes
    for line in "".join(quotes).splitlines():
        if line.strip() != "...":
            assert line in lines, f"{file} has no line {line!r} after the one quoted before"
