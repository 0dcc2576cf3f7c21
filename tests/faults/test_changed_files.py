"""Files that were changed with their checksums mended: a few mutants of each kind of file."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from case import inject
from changed_files import FILES
from sets import first_by_default

NEEDS = {
    "file-arena": "choix",
    "file-openings": "choix",
    "file-benchmark": "choix",
    "file-config": "torch",
    "file-checkpoint": "torch",
}


@first_by_default
@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused_in_one_sentence_or_read(tmp_path: Path, name: str) -> None:
    if find_spec(NEEDS.get(name, "numpy")) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    total = inject(FILES[name], tmp_path, faults=60, seed=1)
    assert total.faults == 60
    assert total.counts["refused"] > 6
