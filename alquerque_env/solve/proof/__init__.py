"""Who wins: proof-number search from any position to the end of the match."""

from .dfpn import Answer, ProofSearch, Question
from .game_value import Solution, solve_position

__all__ = ["Answer", "ProofSearch", "Question", "Solution", "solve_position"]
