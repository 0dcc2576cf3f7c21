"""The Elo scale: 400 points are odds of ten to one."""

import math

POINTS_PER_NAT = 400 / math.log(10)
"""Elo points for a factor of e in the odds."""


def expected_score(elo: float) -> float:
    """Returns the expected score in [0, 1] of a player who is stronger by so many Elo points."""
    return 1 / (1 + math.exp(-elo / POINTS_PER_NAT))


def elo_difference(score: float) -> float:
    """Returns the Elo difference for a score in [0, 1]; infinite for 0 and 1."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return POINTS_PER_NAT * math.log(score / (1 - score))
