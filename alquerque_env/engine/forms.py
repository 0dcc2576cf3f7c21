"""Whether kernels run compiled or as plain Python, and the process that compiles them.

Kernels that were never compiled on this machine take many seconds to compile. They run as plain Python until another
process has compiled them. They work on the same arrays, so that each call may be the first compiled one.
`ALQUERQUE_JIT=1` in the environment asks for compiled kernels at once, `ALQUERQUE_JIT=0` for plain Python always.

`alquerque compile` compiles a part of the package and notes it in the folder of the machine code. A note holds for one
state of the source code, of Numba and of the machine.
"""

import atexit
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..files.lock import locked_file
from .kernel_cache import cache_root, is_private
from .source_digest import PACKAGE, source_digest

ENVIRONMENTS, BOTS, ROLLOUTS, TABLES = "environments", "bots", "rollouts", "tables"

PARTS = {
    ENVIRONMENTS: (
        "engine/entry_points.py",
        "batch/single.py",
        "engine/player_view.py",
        "batch/batch.py",
    ),
    BOTS: ("bots/simple.py", "bots/alphabeta.py", "bots/mcts.py", "bots/network/network_bot.py"),
    ROLLOUTS: ("batch/rollouts.py",),
    TABLES: ("solve/tables/build.py", "solve/tables/table.py"),
}
"""The parts, and the modules that have their kernels or import them."""

PAUSE = 0.1
"""Seconds between two looks at whether a part has been compiled by now."""

# Uses this process's `sys.path`, not the working directory.
_PROGRAM = """
import sys
sys.path[:] = {0}
sys.argv = ["alquerque", "compile", *{2}]
from {1}.cli.main import main
main()
"""

_SILENT: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)

_compiled: set[str] = set()
_next_look: dict[str, float] = {}


def part_of(module: str) -> str:
    """The part that the entry kernels of a module belong to."""
    return ENVIRONMENTS if module.split(".")[1:2] in (["engine"], ["batch"]) else BOTS


def uses_compiled(part: str) -> bool:
    """Whether to run the kernels of a part compiled by now.

    If they have not been compiled yet, a process begins to compile them. Where that is not possible, or where it has
    failed, this process compiles them when it needs them.
    """
    if part in _compiled or os.environ.get("ALQUERQUE_JIT") == "1":
        return True
    now = time.monotonic()
    if now < _next_look.get(part, 0.0):
        return False
    _next_look[part] = now + PAUSE
    return is_compiled(part) or not start_compiling()


def compile_at_once() -> None:
    """Makes this process, and those that it starts, wait for compiled kernels: it has more to do than to compile."""
    os.environ.setdefault("ALQUERQUE_JIT", "1")


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


def start_compiling() -> bool:
    """Begins to compile the parts that have not been compiled, once in this process, and does not wait.

    The process that compiles goes on when this one ends. If another process is compiling already, it leaves that to it.

    Returns:
      Whether compiled kernels are to be expected: False if no process can be started, if it has failed, or if there is
      no folder for machine code that only this user can write to.
    """
    process = _start()
    return process is not None and process.poll() in (None, 0)


def compile_and_wait(parts: Sequence[str]) -> None:
    """Compiles parts that have not been compiled in another process, and waits. One process of a machine does so.

    Where machine code cannot be kept, it does nothing: each process compiles what it needs.
    """
    if all(map(is_compiled, parts)) or not (sys.executable and _can_keep()):
        return
    with locked_file(cache_root() / "compile-and-wait", waiting=lambda _holder: None):
        # Another process may have compiled them while this one waited for the lock.
        missing = [part for part in parts if not is_compiled(part)]
        if missing:
            subprocess.run(_command(*missing), **_SILENT, env=_environment(), check=False)


def _command(*arguments: str) -> list[str]:
    """The command line of `alquerque compile` with some arguments."""
    return [sys.executable, "-I", "-c", _PROGRAM.format(sys.path, os.path.basename(PACKAGE), arguments)]


def _environment() -> dict[str, str]:
    return {**os.environ, "ALQUERQUE_JIT": "1"}


@cache
def _start() -> "subprocess.Popen[bytes] | None":
    if not (sys.executable and _can_keep()):
        return None
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    try:
        process = subprocess.Popen(
            _command("--in-background", ENVIRONMENTS, BOTS),
            **_SILENT,
            env=_environment(),
            **detached,
        )
    except OSError:
        return None
    atexit.register(_leave, process)
    return process


def _leave(process: "subprocess.Popen[bytes]") -> None:
    """Prevents the warning that a process is still running when this one ends."""
    if process.poll() is None:
        process.returncode = 0


def _can_keep() -> bool:
    """Whether machine code can be kept, in a folder that this function makes if it is missing."""
    with suppress(OSError):
        cache_root().mkdir(mode=0o700, parents=True, exist_ok=True)
        return is_private(cache_root()) and os.access(cache_root(), os.W_OK)
    return False


@cache
def _note(part: str) -> Path:
    sources = [source_digest(Path(PACKAGE, *file.split("/"))) for file in PARTS[part]]
    state = [version("numba"), version("llvmlite"), platform.python_version(), platform.node(), *sources]
    return cache_root() / f"compiled-{part}-{sha256(' '.join(state).encode()).hexdigest()[:16]}"
