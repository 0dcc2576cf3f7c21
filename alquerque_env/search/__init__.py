"""Tree search: alpha-beta, UCT, and network-guided search in many matches at once."""

from .quiescence import SearchFeatures
from .tree_kernels import Decisions
from .trees import GUMBEL, PUCT, BatchSearch, Evaluate, Rule, SearchNode

__all__ = ["GUMBEL", "PUCT", "BatchSearch", "Decisions", "Evaluate", "Rule", "SearchFeatures", "SearchNode"]
