"""Who wins: proof-number search from any position to the end of the match."""

from .search import Answer, ProofSearch, Question
from .solving import Solution, solve_position

__all__ = ["Answer", "ProofSearch", "Question", "Solution", "solve_position"]
