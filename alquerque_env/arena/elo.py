"""Elo: the scale on which 400 points are odds of ten to one."""

import math

POINTS_PER_NAT = 400 / math.log(10)
"""Elo points of a factor e in the odds."""


def expected_score(elo: float) -> float:
    """The share of points that a player scores who is so many points stronger."""
    return 1 / (1 + math.exp(-elo / POINTS_PER_NAT))


def elo_difference(score: float) -> float:
    """How many points stronger a player is who scores such a share of points; infinite for all or nothing."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return POINTS_PER_NAT * math.log(score / (1 - score))
