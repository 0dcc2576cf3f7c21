"""Intervals of 95 % for shares and means of what was seen in the positions of a suite."""

from collections.abc import Sequence

import numpy as np

from ..arena.ratings import CONFIDENCE, Estimate

_QUANTILE = 1.959964
"""Of the normal distribution, for 95 %."""


def estimate_share(successes: int, trials: int) -> Estimate:
    """A share, with an interval that is right also where it is near 0 or 1.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.

    Args:
      successes: Of the trials.
      trials: At least 1.
    """
    share, width = successes / trials, _QUANTILE**2 / trials
    centre = share + width / 2
    spread = _QUANTILE * (share * (1 - share) / trials + width / (4 * trials)) ** 0.5
    return Estimate(share, max(0.0, (centre - spread) / (1 + width)), min(1.0, (centre + spread) / (1 + width)))


def estimate_mean(values: Sequence[float], worst: float, seed: int, resamples: int) -> Estimate:
    """A mean, with an interval by bootstrap.

    Among those that can be drawn is one more, of the worst value: else what never happened would be taken for
    impossible.

    Args:
      values: What was seen, one or more.
      worst: The greatest value that there can be.
      seed: Decides what is drawn.
      resamples: How often to draw.
    """
    seen = np.array(values, np.float64)
    places = np.random.default_rng(seed).integers(len(seen) + 1, size=(resamples, len(seen)))
    means = np.append(seen, worst)[places].mean(1)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    mean = float(seen.mean())
    return Estimate(mean, float(min(mean, low)), float(max(mean, high)))
