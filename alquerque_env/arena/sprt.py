"""The generalised sequential probability ratio test (SPRT) on pairs of matches.

The two matches of an opening are one observation of 0 to 2 points in halves, because they depend on each other.

Sources: Wald 1945, Sequential Tests of Statistical Hypotheses, for the bounds; fishtest,
`server/fishtest/stats/LLRcalc.py` at commit 0753fcc, `LLR_logistic`, and Van den Bergh,
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1, for the ratio.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import AlquerqueError
from .ratings import expected_score

OUTCOMES = 5  # possible points of a pair: 0, 1/2, 1, 3/2, 2

_RARE = 1e-3  # count of an outcome that was never seen, as in fishtest, so that no logarithm is infinite


@dataclass(frozen=True)
class Question:
    """Is the first player stronger than the second by `elo0` at most, or by `elo1` at least?

    Attributes:
      elo0: The lower hypothesis, in Elo points.
      elo1: The upper hypothesis, in Elo points.
      alpha: Probability of accepting `elo1` when `elo0` is true.
      beta: Probability of accepting `elo0` when `elo1` is true.

    Raises:
      AlquerqueError: If the hypotheses are not in order, or a chance is not between 0 and 1/2.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise AlquerqueError(
                f"sprt is {self.elo0:g},{self.elo1:g}, expected two numbers from -2000 to 2000, the smaller first"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise AlquerqueError(f"{name} is {chance}, expected a number between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the lower and the upper hypothesis are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class Verdict:
    """The state of a test."""

    question: Question
    ratio: float  # the log-likelihood ratio of the upper hypothesis to the lower one
    accepted: Literal["elo0", "elo1"] | None  # the accepted hypothesis, "elo0" or "elo1"; None while undecided


def decide(question: Question, counts: Sequence[int]) -> Verdict:
    """Tests a question; `counts` are the pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
    ratio = log_likelihood_ratio(question, counts)
    low, high = question.bounds
    return Verdict(question, ratio, "elo0" if ratio <= low else "elo1" if ratio >= high else None)


def log_likelihood_ratio(question: Question, counts: Sequence[int]) -> float:
    """Returns the log-likelihood ratio of the upper to the lower hypothesis, each at its likeliest distribution."""
    if not any(counts):
        return 0.0
    weights = [count or _RARE for count in counts]
    scores = [place / (len(weights) - 1) for place in range(len(weights))]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    low, high = (_tilt(shares, scores, expected_score(elo)) for elo in (question.elo0, question.elo1))
    # The best distribution of mean s has the shares p / (1 + x (a - s)).
    return sum(weight * (lower - upper) for weight, lower, upper in zip(weights, low, high, strict=True))


def _tilt(shares: list[float], scores: list[float], mean: float) -> list[float]:
    """Returns the logarithms of `share / best share`; the best shares are the likeliest ones with a given mean."""
    offsets = [score - mean for score in scores]
    # The sum falls from infinity to minus infinity between the poles.
    low, high = -1 / offsets[-1], -1 / offsets[0]
    for _ in range(200):
        middle = (low + high) / 2
        if sum(share * offset / (1 + middle * offset) for share, offset in zip(shares, offsets, strict=True)) > 0:
            low = middle
        else:
            high = middle
    return [math.log1p(low * offset) for offset in offsets]
