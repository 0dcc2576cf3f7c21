"""Advantages against numbers worked out by hand. A column is one game, top to bottom in time."""

import pytest
import torch
from alquerque_training.gae import compute_advantages


def column(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float32)[:, None]


def flags(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.bool)[:, None]


def players(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int8)[:, None]


def gains(
    rewards: torch.Tensor,
    values: torch.Tensor,
    movers: torch.Tensor,
    terminated: torch.Tensor,
    truncated: torch.Tensor | None = None,
    forced: torch.Tensor | None = None,
    discount: float = 1.0,
    gae_lambda: float = 1.0,
) -> list[float]:
    cut = torch.zeros_like(terminated) if truncated is None else truncated
    bound = torch.zeros_like(terminated) if forced is None else forced
    found = compute_advantages(
        rewards, values, movers, terminated, cut, bound, discount=discount, gae_lambda=gae_lambda
    )
    return found[:, 0].tolist()


def test_a_chain_keeps_the_sign() -> None:
    """Player 0 hops, hops again and wins: both hops were good."""
    assert gains(column(0, 1), column(0, 0, 0), players(0, 0, 1), flags(0, 1)) == [1, 1]


def test_a_change_of_player_flips_the_sign() -> None:
    """Player 0 moves, player 1 answers and wins: the first move was bad."""
    assert gains(column(0, 1), column(0, 0, 0), players(0, 1, 0), flags(0, 1)) == [-1, 1]


def test_a_chain_between_two_changes_counts_once() -> None:
    """0, then 1 twice, then 0 wins: bad for 1 at both steps, good for 0 at both of its own."""
    assert gains(column(0, 0, 0, 1), column(0, 0, 0, 0, 0), players(0, 1, 1, 0, 1), flags(0, 0, 0, 1)) == [1, -1, -1, 1]


def test_values_and_discounts_enter_as_in_the_paper() -> None:
    """With discount 1/2, lambda 1/2 and values 0.2, 0.4, 0.6 of players 0, 0, 1.

    delta_1 = 0 - 0.5 * 0.6 - 0.4 = -0.7; delta_0 = 0 + 0.5 * 0.4 - 0.2 = 0;
    advantage_0 = 0 + 0.25 * -0.7 = -0.175.
    """
    result = gains(column(0, 0), column(0.2, 0.4, 0.6), players(0, 0, 1), flags(0, 0), discount=0.5, gae_lambda=0.5)

    assert result == pytest.approx([-0.175, -0.7])


def test_lambda_zero_trusts_the_next_value_alone() -> None:
    result = gains(column(0, 0), column(0.1, 0.5, -0.25), players(0, 1, 1), flags(0, 0), gae_lambda=0)

    assert result == pytest.approx([-0.5 - 0.1, -0.25 - 0.5])


def test_nothing_follows_a_termination() -> None:
    """The row after the end is the dead position, then the next game: neither counts."""
    result = gains(column(1, 0, 0), column(0.25, 0.9, 0.7, 0.5), players(0, 1, 0, 1), flags(1, 0, 0))

    assert result[0] == 0.75


def test_a_truncation_takes_the_value_of_the_last_position_and_nothing_of_the_next_game() -> None:
    """Player 0 moves, the game is cut with player 1 to move at -0.5; then the reset and another game, lost."""
    result = gains(
        column(0, 0, -1),
        column(0.25, -0.5, 0.9, 0.8),
        players(0, 1, 0, 0),
        flags(0, 0, 1),
        flags(1, 0, 0),
    )

    assert result[0] == pytest.approx(0.5 - 0.25)


def test_a_truncation_in_a_chain_keeps_the_sign() -> None:
    result = gains(column(0, 0), column(0.25, 0.5, 0.9), players(1, 1, 0), flags(0, 0), flags(1, 0))

    assert result[0] == pytest.approx(0.5 - 0.25)


def test_steps_without_a_choice_are_as_if_they_had_not_been_taken() -> None:
    """Player 0 chooses, then 1 and 0 have no choice, then 1 chooses and wins; guesses between do not count."""
    through = gains(
        column(0, 0, 0, 1),
        column(0.2, 0.9, -0.9, 0.4, 0),
        players(0, 1, 0, 1, 0),
        flags(0, 0, 0, 1),
        forced=flags(0, 1, 1, 0),
        gae_lambda=0.5,
    )
    without = gains(column(0, 1), column(0.2, 0.4, 0), players(0, 1, 0), flags(0, 1), gae_lambda=0.5)

    assert [through[0], through[3]] == pytest.approx(without)


def test_an_end_without_a_choice_is_what_the_last_decision_led_to() -> None:
    """Player 0 chooses, player 1 must capture and wins."""
    result = gains(column(0, 1), column(0.25, -0.9, 0), players(0, 1, 0), flags(0, 1), forced=flags(0, 1), gae_lambda=0)

    assert result[0] == -1.25


def test_games_side_by_side_do_not_touch() -> None:
    one = (column(0, 1), column(0.1, 0.2, 0.3), players(0, 1, 0), flags(0, 1))
    other = (column(0, 0), column(-0.3, 0.5, 0.7), players(1, 1, 0), flags(0, 0))
    both = [torch.cat(pair, dim=1) for pair in zip(one, other, strict=True)]

    no = torch.zeros(2, 2, dtype=torch.bool)

    together = compute_advantages(*both, no, no, discount=0.9, gae_lambda=0.8)

    assert together[:, 0].tolist() == gains(*one, discount=0.9, gae_lambda=0.8)
    assert together[:, 1].tolist() == gains(*other, discount=0.9, gae_lambda=0.8)
