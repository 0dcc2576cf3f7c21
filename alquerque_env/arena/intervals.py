"""Intervals of 95 %: of shares by Wilson's formula, of all else by bootstrap.

Sources: Wilson 1927, Journal of the American Statistical Association 22, 209-212; Efron 1979, Bootstrap Methods,
percentiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
_QUANTILE = 1.959964
"""Of the normal distribution, for 95 %."""


@dataclass(frozen=True)
class Estimate:
    """A number with its interval of 95 %.

    Attributes:
      value: The best guess.
      low, high: The interval.
    """

    value: float
    low: float
    high: float


def estimate_share(successes: int, trials: int) -> Estimate:
    """A share, with Wilson's interval, which is right also where the share is near 0 or 1.

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
    (mean,) = estimate_by_bootstrap([float(seen.mean())], means[:, None])
    return mean


def estimate_by_bootstrap(
    values: Sequence[float] | np.ndarray, drawn: Sequence[Sequence[float] | np.ndarray] | np.ndarray
) -> list[Estimate]:
    """Numbers with the percentiles of what they are when the data are drawn anew.

    Args:
      values: `[N]` numbers from the data.
      drawn: `[resamples, N]`, the same numbers from data drawn anew.
    """
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(np.array(drawn), [tail, 100 - tail], axis=0)
    # What is drawn beside the data can put all percentiles on one side of what was seen.
    return [
        Estimate(float(value), float(min(value, least)), float(max(value, most)))
        for value, least, most in zip(values, low, high, strict=True)
    ]
