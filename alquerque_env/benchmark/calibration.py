"""How good the values of an agent are: the results that it expects beside those that are certain under best play.

Sources: Brier 1950, Verification of Forecasts Expressed in Terms of Probability; Naeini et al. 2015, Obtaining Well
Calibrated Probabilities Using Bayesian Binning, for the error of the bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arena.intervals import Estimate, estimate_share
from .against_truth import Decision

BINS = 10
_EVEN = 0.5
"""What an agent expects nearer to 0 than this is taken for a draw."""


@dataclass(frozen=True)
class Bin:
    """Positions of which an agent expected about the same.

    Attributes:
      positions: How many.
      expected: Mean of what it expected.
      true: Mean of their values.
    """

    positions: int
    expected: float
    true: float


@dataclass(frozen=True)
class Calibration:
    """How far the values of an agent are from the truth.

    Attributes:
      positions: How many it gave a value.
      accuracy: Share of positions in which the result nearest to its value is the true one.
      squared_error: Mean square of the difference, 0 to 4.
      bin_error: Mean difference between what it expected and what is true over `bins`, 0 to 2.
      bins: Those of equal width over [-1, 1] in which there are positions.
    """

    positions: int
    accuracy: Estimate
    squared_error: float
    bin_error: float
    bins: tuple[Bin, ...]


def calibrate(decisions: Sequence[Decision]) -> Calibration | None:
    """Compares expected with true values, in all positions of a suite; None where the agent gave none."""
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
