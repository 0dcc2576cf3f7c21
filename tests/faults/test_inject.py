"""The script of fault injection and the page that has its results name the same kinds and promises."""

import re

from inject import KINDS, PAGE, write_row


def test_every_kind_has_a_row_with_its_promise():
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == {name: kind.promise for name, kind in KINDS.items()}
    assert len(rows) == len(KINDS)


def test_a_result_replaces_the_row_of_its_kind():
    page = PAGE.read_text(encoding="utf-8")
    changed = write_row(page, "kill-table", ["a", "b", r"\1"])

    assert r"| `kill-table` | a | b | \1 |" in changed
    assert len(changed.splitlines()) == len(page.splitlines())
