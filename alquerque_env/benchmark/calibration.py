"""Compares the values of an agent with the exact values of positions.

Sources: Brier 1950, Verification of Forecasts Expressed in Terms of Probability; Naeini et al. 2015, Obtaining Well
Calibrated Probabilities Using Bayesian Binning, for the error of the bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arena.intervals import Estimate, estimate_share
from .against_truth import Decision

BINS = 10
_EVEN = 0.5  # an expected result nearer to 0 than this counts as a draw


@dataclass(frozen=True)
class Bin:
    """Positions for which an agent expected about the same result, with the means of expected and exact values."""

    positions: int
    expected: float
    true: float


@dataclass(frozen=True)
class Calibration:
    """The accuracy of an agent's values."""

    positions: int  # those with a value
    accuracy: Estimate  # share of positions in which the nearest result is the exact value
    squared_error: float  # mean squared error, 0 to 4
    bin_error: float  # mean absolute difference between expected and true of `bins`, weighted by positions, 0 to 2
    bins: tuple[Bin, ...]  # bins of equal width over [-1, 1] that have positions


def calibrate(decisions: Sequence[Decision]) -> Calibration | None:
    """Compares expected results with exact values; None if the agent gave no values."""
    valued = [decision for decision in decisions if decision.expected is not None]
    if not valued:
        return None
    expected = np.array([decision.expected for decision in valued], np.float64)
    true = np.array([decision.entry.value for decision in valued], np.float64)
    nearest = np.where(np.abs(expected) < _EVEN, 0.0, np.sign(expected))
    bins = _bins(expected, true)
    return Calibration(
        positions=len(valued),
        accuracy=estimate_share(int((nearest == true).sum()), len(valued)),
        squared_error=float(((expected - true) ** 2).mean()),
        bin_error=sum(each.positions * abs(each.expected - each.true) for each in bins) / len(valued),
        bins=bins,
    )


def _bins(expected: np.ndarray, true: np.ndarray) -> tuple[Bin, ...]:
    places = np.minimum(((expected + 1) / 2 * BINS).astype(int), BINS - 1)
    members = [places == place for place in range(BINS)]
    return tuple(
        Bin(int(chosen.sum()), float(expected[chosen].mean()), float(true[chosen].mean()))
        for chosen in members
        if chosen.any()
    )
