"""The parts of Numba that kernels need and that are not public, all in one place.

Numba may change them in any minor version, so kernels are compiled by tested versions only, see `TESTED` in
`game/kernel_arrays.py`.
"""

from typing import Any

from llvmlite.binding import parse_assembly as parse_assembly
from numba.core import cgutils as cgutils, config as config, types as types
from numba.core.codegen import JITCodeLibrary as JITCodeLibrary
from numba.core.compiler import Compiler as Compiler
from numba.core.errors import TypingError as TypingError
from numba.core.registry import CPUDispatcher as CPUDispatcher
from numba.core.typing.templates import (
    AbstractTemplate as AbstractTemplate,
    infer_global as infer_global,
    signature as signature,
)
from numba.np.arrayobj import make_array as make_array


def code_cache(compiled: Any) -> Any:
    """The cache of the machine code of a compiled function: `load_overload`, `save_overload`, `flush`, `cache_path`."""
    return compiled._cache
