"""Intervals: the published numbers, and how often the truth lies within."""

import math

import numpy as np
import pytest

from alquerque_env.arena.score import estimate_by_bootstrap, estimate_mean, estimate_share


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_shares_have_the_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    """Newcombe 1998, Statistics in Medicine 17, 857-872, table I, Wilson's method without continuity correction."""
    share = estimate_share(successes, trials)

    assert share.value == successes / trials
    assert (round(share.low, 4), round(share.high, 4)) == (low, high)
    other = estimate_share(trials - successes, trials)
    assert (other.low, other.high) == pytest.approx((1 - share.high, 1 - share.low), abs=1e-12)


def test_the_interval_of_a_share_holds_the_truth_as_often_as_it_says() -> None:
    """Over all outcomes of 60 trials, weighed by how probable they are; Wilson's interval is near 95% on average."""
    covered = []
    for truth in np.linspace(0.05, 0.95, 19):
        chances = [math.comb(60, wins) * truth**wins * (1 - truth) ** (60 - wins) for wins in range(61)]
        inside = [estimate_share(wins, 60).low <= truth <= estimate_share(wins, 60).high for wins in range(61)]
        covered.append(sum(chance for chance, is_inside in zip(chances, inside, strict=True) if is_inside))

    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.9


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution_where_there_is_much() -> None:
    mean = estimate_mean([0] * 500 + [1] * 500, 1, 0, 4000)

    assert mean.value == 0.5
    assert (mean.low, mean.high) == pytest.approx(
        (0.5 - 1.96 * 0.5 / 1000**0.5, 0.5 + 1.96 * 0.5 / 1000**0.5), abs=4e-3
    )


def test_what_never_happened_is_not_taken_for_impossible() -> None:
    mean = estimate_mean([0.0] * 100, 2, 0, 2000)

    assert (mean.value, mean.low) == (0, 0)
    assert 0.02 < mean.high < 0.1


def test_bootstrap_gives_percentiles_around_what_was_seen() -> None:
    drawn = np.stack([np.arange(1001), np.arange(1001) + 5000], axis=1)
    first, second = estimate_by_bootstrap([500, 10.0], drawn)

    assert (first.value, first.low, first.high) == pytest.approx((500, 25, 975))
    assert (second.value, second.low, second.high) == pytest.approx((10, 10, 5975))
