"""The parts of Numba that kernels need and that are not public, all in one place.

Numba may change them in any minor version. `.ci/supported_versions.py` runs all tests with the first and the last
version of the range, and a test compares the range with the requirement of the package.
"""

import re
import warnings
from importlib.metadata import version
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
    "TESTED",
    "AbstractTemplate",
    "CPUDispatcher",
    "Compiler",
    "JITCodeLibrary",
    "TypingError",
    "cgutils",
    "code_cache",
    "config",
    "infer_global",
    "is_tested",
    "make_array",
    "parse_assembly",
    "signature",
    "types",
]

TESTED = ((0, 61), (0, 68))
"""The first and the last minor version that has been tested."""


def is_tested(number: str) -> bool:
    """Whether a version of Numba lies in the tested range."""
    minor = tuple(int(part) for part in re.findall(r"\d+", number)[:2])
    return TESTED[0] <= minor <= TESTED[1]


def code_cache(compiled: Any) -> Any:
    """The cache of the machine code of a compiled function: `load_overload`, `save_overload`, `flush`, `cache_path`."""
    return compiled._cache


if not is_tested(version("numba")):
    first, last = (".".join(map(str, minor)) for minor in TESTED)
    warnings.warn(
        f"Numba {version('numba')} has not been tested with this package, which may fail or compute wrong results: "
        f"install Numba {first} to {last}, or set ALQUERQUE_JIT=0",
        RuntimeWarning,
        stacklevel=2,
    )
