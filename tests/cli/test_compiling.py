"""The note of long commands that kernels are being compiled."""

import os
import sys
from pathlib import Path

import pytest

from alquerque_env.engine.compiler import JIT

pexpect = pytest.importorskip("pexpect")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pexpect needs a POSIX terminal"),
    pytest.mark.skipif(not JIT, reason="without Numba nothing is compiled"),
]

PROGRAM = """
from alquerque_env.cli.main import announce_compiling
from alquerque_env.engine.kernel_cache import before_compiling
from alquerque_env.engine.compiler import entry_kernel

@entry_kernel
def twice(number):
    return 2 * number

before_compiling.append(announce_compiling)
print(twice(2), twice(2.5))
"""


@pytest.mark.slow
def test_a_terminal_is_told_once_that_kernels_are_compiled(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for _ in range(2):
        child = pexpect.spawn(sys.executable, [str(program)], env=environment, timeout=120, encoding="utf-8")
        told.append(child.read())
        child.close()
    assert [text.count("compiling kernels") for text in told] == [1, 0]
    # Where colorama is installed, Numba lets it reset the colours in the end.
    assert [text.removesuffix("\x1b[0m")[-7:] for text in told] == ["4 5.0\r\n"] * 2, told
