"""Who wins: proof-number search from any position to the end of the match."""

from .dfpn import Answer, ProofSearch
from .game_value import Solution, solve_position

__all__ = ["Answer", "ProofSearch", "Solution", "solve_position"]
