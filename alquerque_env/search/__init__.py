"""Tree search: alpha-beta, UCT, and network-guided search in many matches at once."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .quiescence import SearchFeatures
    from .tree_kernels import Decisions
    from .trees import GUMBEL, PUCT, BatchSearch, Evaluate, Rule

__all__ = [
    "GUMBEL",
    "PUCT",
    "BatchSearch",
    "Decisions",
    "Evaluate",
    "Rule",
    "SearchFeatures",
]

_MODULES = {"SearchFeatures": ".quiescence", "Decisions": ".tree_kernels"}


def __getattr__(name: str) -> Any:
    # Imported when they are asked for, since kernels import the compiler.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, ".trees"), __name__), name)
