"""Where compiled kernels are kept, and how long."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alquerque_env.game.kernel_arrays import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")


def load_package(cache: Path) -> Path:
    """Imports the package with a cache of its own; returns the folder of its kernels."""
    program = "from alquerque_env.engine.compiler import cache_folder; print(cache_folder())"
    where = {"XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache), "HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **where}, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


def test_kernels_of_other_versions_are_kept_as_long_as_they_are_used(tmp_path):
    first = load_package(tmp_path)
    assert first.is_dir()
    assert tmp_path in first.parents
    lately, long_ago = first.with_name("lately"), first.with_name("long_ago")
    for folder, days in ((lately, 30), (long_ago, 90), (first, 90)):
        folder.mkdir(exist_ok=True)
        (folder / "kernel.nbi").write_text("")
        os.utime(folder, (time.time() - 86_400 * days,) * 2)

    assert load_package(tmp_path) == first
    assert sorted(folder.name for folder in first.parent.iterdir()) == sorted([first.name, "lately", "long_ago"])
    assert time.time() - first.stat().st_mtime < 3600

    os.rename(first, tmp_path / "elsewhere")  # as if this version were used for the first time
    load_package(tmp_path)
    assert sorted(folder.name for folder in first.parent.iterdir()) == sorted([first.name, "lately"])
