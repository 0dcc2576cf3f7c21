"""Files that were changed with their checksums mended: refused in one sentence, or loaded; never a traceback."""

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from mutants import KINDS

from alquerque_env.errors import AlquerqueError

resource = pytest.importorskip("resource", reason="there is no limit on memory")

NEEDS = {"arena": "choix", "openings": "choix", "benchmark": "choix", "config": "torch", "checkpoint": "torch"}
ROOM = 1 << 28
"""Bytes of memory that a mutant may take beyond those of the process."""


@contextmanager
def memory_limited() -> Iterator[None]:
    """Within it a file that takes more than `ROOM` ends in a `MemoryError`."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", KINDS)
def test_a_changed_file_is_refused_in_one_sentence_or_loads(tmp_path: Path, name: str, count: int) -> None:
    if find_spec(NEEDS.get(name, "numpy")) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    kind = KINDS[name]
    honest = tmp_path / "honest"
    honest.mkdir()
    path = kind.make(honest).relative_to(honest)
    kind.use(honest / path)  # compiles everything before memory is limited
    chance = random.Random(f"{name} {count}")
    refusals = []
    for number in range(count):
        folder = tmp_path / "mutant"
        shutil.copytree(honest, folder)
        kind.change(folder / path, chance)
        try:
            with memory_limited():
                kind.use(folder / path)
        except (AlquerqueError, OSError) as error:
            refusals.append(str(error))
        except Exception as error:
            raise AssertionError(f"mutant {number} of {name}: {type(error).__name__}: {error}") from error
        shutil.rmtree(folder)
    assert [each for each in refusals if "\n" in each or len(each) > 2000] == []
    assert len(refusals) > count // 10
