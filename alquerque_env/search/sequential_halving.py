"""Sequential halving: how often each action of a root is visited before the worse half of them is dropped.

Source: Karnin, Koren and Somekh 2013, Almost optimal exploration in multi-armed bandits, ICML; used at the root of a
tree as in Danihelka et al. 2022, section 4.
"""

from functools import cache
from math import ceil, log2

import numpy as np


def considered_visits(choices: np.ndarray, considered: int, simulations: int) -> np.ndarray:
    """How many visits an action must have to be considered by each simulation.

    Args:
      choices: int64 `[B]`, numbers of legal actions.
      considered: The most actions to begin with.
      simulations: Number of simulations, `N`.

    Returns:
      int64 `[N, B]`.
    """
    sequences = np.array([halving(most, simulations) for most in range(considered + 1)], np.int64)
    return sequences.reshape(considered + 1, simulations)[np.minimum(choices, considered)].T


@cache
def halving(considered: int, simulations: int) -> tuple[int, ...]:
    """For each simulation the visits of a considered action by then. After each round the better half remains."""
    if considered <= 1:
        return tuple(range(simulations))
    rounds = ceil(log2(considered))
    sequence: list[int] = []
    visits = [0] * considered
    left = considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            for index in range(left):
                visits[index] += 1
        left = max(2, left // 2)
    return tuple(sequence[:simulations])
