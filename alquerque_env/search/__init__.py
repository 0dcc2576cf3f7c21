"""Tree search led by a network, over many matches at once."""

from .quiescence import Gains
from .trees import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule

__all__ = ["GUMBEL", "PUCT", "BatchSearch", "Decisions", "Evaluate", "Gains", "Rule"]
