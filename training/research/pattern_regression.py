"""Logistic regression of values on the numbers of patterns, by stochastic gradients with a rate for each weight.

Source: Duchi, Hazan and Singer 2011, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization.
"""

from collections.abc import Callable

import numpy as np

BATCH = 8192
RATE = 0.06
CAUTION = 1.0
"""Added to the sum of squared gradients of a weight, so that one that is seldom seen changes little."""


def fit(
    weights: np.ndarray,
    numbers: Callable[[np.ndarray], np.ndarray],
    static: np.ndarray,
    targets: np.ndarray,
    *,
    passes: int,
    generator: np.random.Generator,
) -> None:
    """Changes weights so that `tanh(static + weights[numbers].sum(1))` comes nearer to the targets.

    Args:
      weights: float32 `[W]`; changed in place.
      numbers: Gives int32 `[n, P]`, the places of the weights of the examples with the indices int64 `[n]`.
      static: float32 `[N]`.
      targets: float32 `[N]`, from -1 to 1.
      passes: How often each example is looked at.
      generator: Draws their order.
    """
    squares = np.full(len(weights), CAUTION, np.float32)
    batches = -(-len(targets) // BATCH)
    for done in range(passes):
        order = generator.permutation(len(targets))
        for index, rows in enumerate(np.array_split(order, batches)):
            shown = numbers(rows)
            errors = targets[rows] - np.tanh(static[rows] + weights[shown].sum(1))
            gradient = np.bincount(shown.reshape(-1), np.repeat(errors, shown.shape[1]), minlength=len(weights)).astype(
                np.float32
            )
            squares += gradient * gradient
            weights += RATE * (1 - (done + index / batches) / passes) * gradient / np.sqrt(squares)
