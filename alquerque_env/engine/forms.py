"""The two forms of kernels: compiled, and plain Python for programs that cannot wait for the compiler.

Kernels that were never compiled on this machine take many seconds to compile. A program that plays a few matches
therefore runs them as plain Python, and another process compiles them meanwhile. `ALQUERQUE_JIT=1` in the environment
asks for compiled kernels at once, `ALQUERQUE_JIT=0` for plain Python always.
"""

import os
from importlib import import_module
from typing import Any

from ..game.kernel_arrays import JIT, PLAIN
from ..game.ruleset import Ruleset
from .compiled_parts import is_compiled, start_compiling

_PACKAGE = __name__.removesuffix(".engine.forms")


def uses_compiled(part: str, game: Ruleset | None = None) -> bool:
    """Whether to use compiled kernels of a part of the package, one of `compiled_parts.PARTS`, for a game.

    If they have not been compiled yet, a process begins to compile them. Where that is not possible, or where it has
    failed, this process compiles them when it needs them.
    """
    if not JIT or (game is not None and game.board.is_wide):
        return False
    if os.environ.get("ALQUERQUE_JIT") == "1" or is_compiled(part):
        return True
    return not start_compiling()


def load_kernels(name: str, part: str, game: Ruleset) -> Any:
    """A module of kernels in the form to use now for a game.

    Args:
      name: The module, without the name of the package.
      part: The part of the package that the module belongs to, one of `compiled_parts.PARTS`.
      game: The game.
    """
    return import_module(f"{_PACKAGE}.{name}") if uses_compiled(part, game) else load_plain(name)


def load_plain(name: str) -> Any:
    """A module of kernels as plain Python; `name` is as in `load_kernels`."""
    return import_module(f"{PLAIN if JIT else _PACKAGE}.{name}")


def compile_at_once() -> None:
    """Makes this process, and those that it starts, wait for compiled kernels: it has more to do than to compile."""
    os.environ.setdefault("ALQUERQUE_JIT", "1")
