"""Tree search led by a network, over many matches at once."""

from .batch import GUMBEL, PUCT, BatchSearch, Decisions, Evaluate, Rule
from .quiescence import Gains

__all__ = ["GUMBEL", "PUCT", "BatchSearch", "Decisions", "Evaluate", "Gains", "Rule"]
