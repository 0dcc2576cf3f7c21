"""The parts of Numba that kernels need and that are not public, all in one place.

Numba may change them in any minor version, so kernels are compiled by tested versions only, see `TESTED` in
`game/kernel_arrays.py`.
"""

from typing import Any

from llvmlite.binding import parse_assembly
from numba.core import cgutils, config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array

__all__ = [
    "AbstractTemplate",
    "CPUDispatcher",
    "Compiler",
    "JITCodeLibrary",
    "TypingError",
    "cgutils",
    "code_cache",
    "config",
    "infer_global",
    "make_array",
    "parse_assembly",
    "signature",
    "types",
]


def code_cache(compiled: Any) -> Any:
    """The cache of the machine code of a compiled function: `load_overload`, `save_overload`, `flush`, `cache_path`."""
    return compiled._cache
