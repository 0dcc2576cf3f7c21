"""Tree search: alpha-beta, UCT, and network-guided search in many matches at once."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .mcts_batch import GUMBEL, PUCT, BatchSearch, Evaluate, Rule
    from .mcts_batch_kernels import Decisions
    from .quiescence import SearchFeatures

__all__ = [
    "GUMBEL",
    "PUCT",
    "BatchSearch",
    "Decisions",
    "Evaluate",
    "Rule",
    "SearchFeatures",
]

_MODULES = {"SearchFeatures": ".quiescence", "Decisions": ".mcts_batch_kernels"}


def __getattr__(name: str) -> Any:
    # Imported when they are asked for, since kernels import the compiler.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, ".mcts_batch"), __name__), name)
