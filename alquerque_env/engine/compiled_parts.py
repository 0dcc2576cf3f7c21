"""Which parts of the package have been compiled on this machine, and the process that compiles them.

`alquerque compile` compiles a part and notes it in the folder of the machine code. A note holds for one state of the
source code, of Numba and of the machine.
"""

import os
import platform
import subprocess
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .kernel_cache import cache_root, is_private
from .source_digest import PACKAGE, source_digest

ENVIRONMENTS, BOTS, ROLLOUTS, TABLES = "environments", "bots", "rollouts", "tables"

PARTS = {
    ENVIRONMENTS: ("engine/entry_points.py", "batch/single.py", "batch/scalar_batch.py", "batch/simd_batch.py"),
    BOTS: ("bots/simple.py", "bots/alphabeta.py", "bots/mcts.py", "bots/network/network_bot.py"),
    ROLLOUTS: ("batch/rollouts.py",),
    TABLES: ("solve/tables/build.py", "solve/tables/table.py"),
}
"""The parts, and the modules that have their kernels or import them."""

_compiled: set[str] = set()
_process: subprocess.Popen[bytes] | None = None


def is_compiled(part: str) -> bool:
    """Whether the kernels of a part are in the folder of the machine code."""
    if part not in _compiled:
        with suppress(OSError):
            if is_private(cache_root()) and _note(part).is_file():
                _compiled.add(part)
    return part in _compiled


def mark_compiled(part: str) -> None:
    """Notes that the kernels of a part have been compiled.

    Raises:
      OSError: If the note cannot be written.
    """
    _note(part).touch(mode=0o600)


def start_compiling() -> None:
    """Begins to compile the parts that have none, once in this process, and does not wait.

    Nothing happens where no process can be started. One that has begun goes on when this process ends. Of several
    processes one compiles, and the others wait for it.
    """
    global _process
    if _process is not None or not sys.executable:
        return
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    with suppress(OSError):
        _process = subprocess.Popen(
            [sys.executable, "-m", os.path.basename(PACKAGE), "compile", ENVIRONMENTS, BOTS, "--in-background"],
            env={**os.environ, "ALQUERQUE_JIT": "1", "PYTHONPATH": os.pathsep.join(_import_folders())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **detached,
        )


def _import_folders() -> list[str]:
    """The folders from which the process imports the packages that this one does, whatever its working directory."""
    return [str(Path(PACKAGE).parent), *(folder for folder in sys.path if folder)]


@cache
def _note(part: str) -> Path:
    sources = [source_digest(Path(PACKAGE, *file.split("/"))) for file in PARTS[part]]
    state = [version("numba"), version("llvmlite"), platform.python_version(), platform.node(), *sources]
    return cache_root() / f"compiled-{part}-{sha256(' '.join(state).encode()).hexdigest()[:16]}"
