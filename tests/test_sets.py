"""What `.ci/run` refuses: the plugin on a few tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Nothing is compiled, and a test is dear soon.
QUICK = """
import processor_time
processor_time.TEST_LIMIT = 0.5
processor_time.COMPILE = [sys.executable, "-c", ""]
"""
TESTS = """
import time
import pytest

@pytest.mark.parametrize("number", range(8))
def test_cheap(number): pass

def test_dear():
    end = time.process_time() + 1.5
    while time.process_time() < end: pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "status"), [("default", 1), ("slow", 0)])
def test_the_tests_are_shuffled_and_a_default_test_that_takes_too_long_is_refused(
    tmp_path: Path, name: str, status: int
) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8") + QUICK)
    (folder / "test_some.py").write_text(TESTS)
    options = f"-p processor_time --set {name} --shuffle 7"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".ci"), "PYTEST_ADDOPTS": options}
    command = [sys.executable, "-m", "pytest", "-n", "1", "-v", "tests"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    refusal = [line for line in done.stdout.splitlines() if line.startswith("A default test may take")]
    assert done.returncode == status, done.stdout + done.stderr
    assert f"\n{name} set: " in done.stdout
    assert len(refusal) == status
    order = [int(number) for number in re.findall(r"PASSED .*test_cheap\[(\d)\]", done.stdout)]
    assert order != sorted(order) == list(range(8))
    assert all("tests/test_some.py::test_dear (" in line and "test_cheap" not in line for line in refusal)
