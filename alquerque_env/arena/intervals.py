"""Confidence intervals of 95%: Wilson's for shares, by bootstrap for all other numbers.

Sources: Wilson 1927, Journal of the American Statistical Association 22, 209-212; Efron 1979, Bootstrap Methods,
percentiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
_QUANTILE = 1.959964  # quantile of the normal distribution for 95%, two-sided


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% confidence interval."""

    value: float
    low: float
    high: float


def estimate_share(successes: float, trials: int) -> Estimate:
    """Estimates a share of one trial or more with Wilson's interval, which also holds for shares near 0 and 1."""
    share, width = successes / trials, _QUANTILE**2 / trials
    centre = share + width / 2
    spread = _QUANTILE * (share * (1 - share) / trials + width / (4 * trials)) ** 0.5
    return Estimate(share, max(0.0, (centre - spread) / (1 + width)), min(1.0, (centre + spread) / (1 + width)))


def estimate_mean(values: Sequence[float], worst: float, seed: int, resamples: int) -> Estimate:
    """Estimates the mean of a sample with a bootstrap interval.

    The resamples also draw from one value `worst`, so that an outcome that was never seen is not ruled out.
    """
    seen = np.array(values, np.float64)
    places = np.random.default_rng(seed).integers(len(seen) + 1, size=(resamples, len(seen)))
    means = np.append(seen, worst)[places].mean(1)
    (mean,) = estimate_by_bootstrap([float(seen.mean())], means[:, None])
    return mean


def estimate_by_bootstrap(
    values: Sequence[float] | np.ndarray, drawn: Sequence[Sequence[float] | np.ndarray] | np.ndarray
) -> list[Estimate]:
    """Returns estimates of `[N]` numbers with the percentiles of their `[resamples, N]` resamples."""
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(np.array(drawn), [tail, 100 - tail], axis=0)
    # Resamples that draw from more than the data can lie on one side of the value.
    return [
        Estimate(float(value), float(min(value, least)), float(max(value, most)))
        for value, least, most in zip(values, low, high, strict=True)
    ]
