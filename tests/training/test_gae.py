"""Advantages against numbers worked out by hand. A list is one game, in time."""

from typing import NamedTuple

import pytest
import torch
from alquerque_training.gae import compute_advantages


class Game(NamedTuple):
    """What is seen of one game; `values` and `players` have an entry more than the others, for what follows."""

    rewards: list[float]
    values: list[float]
    players: list[int]
    terminated: list[int]
    truncated: list[int] | None = None
    forced: list[int] | None = None


def gains(*games: Game, discount: float = 1.0, gae_lambda: float = 1.0) -> list[list[float]]:
    """The advantages of games that are played side by side."""
    columns = [[[0] * len(game.rewards) if field is None else field for field in game] for game in games]
    rewards, values, players, *flags = (torch.tensor(column).T for column in zip(*columns, strict=True))
    found = compute_advantages(
        rewards.float(),
        values.float(),
        players.to(torch.int8),
        *(flag.bool() for flag in flags),
        discount=discount,
        gae_lambda=gae_lambda,
    )
    return found.T.tolist()


@pytest.mark.parametrize(
    ("game", "settings", "expected"),
    [
        # Player 0 hops, hops again and wins: both hops were good.
        (Game([0, 1], [0, 0, 0], [0, 0, 1], [0, 1]), {}, [1, 1]),
        # Player 0 moves, player 1 answers and wins: the first move was bad.
        (Game([0, 1], [0, 0, 0], [0, 1, 0], [0, 1]), {}, [-1, 1]),
        # 0, then 1 twice, then 0 wins: bad for 1 at both steps, good for 0 at both of its own.
        (Game([0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 1, 0, 1], [0, 0, 0, 1]), {}, [1, -1, -1, 1]),
        # delta_1 = 0 - 0.5 * 0.6 - 0.4 = -0.7; delta_0 = 0 + 0.5 * 0.4 - 0.2 = 0; advantage_0 = 0 + 0.25 * -0.7.
        (
            Game([0, 0], [0.2, 0.4, 0.6], [0, 0, 1], [0, 0]),
            {"discount": 0.5, "gae_lambda": 0.5},
            [-0.175, -0.7],
        ),
        # With a lambda of zero the next value alone is trusted.
        (Game([0, 0], [0.1, 0.5, -0.25], [0, 1, 1], [0, 0]), {"gae_lambda": 0}, [-0.5 - 0.1, -0.25 - 0.5]),
        # The row after a termination is the dead position, then comes the next game: neither counts.
        (Game([1, 0, 0], [0.25, 0.9, 0.7, 0.5], [0, 1, 0, 1], [1, 0, 0]), {}, [0.75]),
        # Player 0 moves, the game is cut with player 1 to move at -0.5; then the reset and another game, lost.
        (Game([0, 0, -1], [0.25, -0.5, 0.9, 0.8], [0, 1, 0, 0], [0, 0, 1], [1, 0, 0]), {}, [0.5 - 0.25]),
        # It is cut in a chain.
        (Game([0, 0], [0.25, 0.5, 0.9], [1, 1, 0], [0, 0], [1, 0]), {}, [0.5 - 0.25]),
        # Player 0 chooses, player 1 must capture and wins.
        (Game([0, 1], [0.25, -0.9, 0], [0, 1, 0], [0, 1], forced=[0, 1]), {"gae_lambda": 0}, [-1.25]),
    ],
    ids=[
        "a chain keeps the sign",
        "a change of player flips the sign",
        "a chain between two changes counts once",
        "values and discounts enter as in the paper",
        "lambda zero",
        "nothing follows a termination",
        "a truncation takes the value of the last position and nothing of the next game",
        "a truncation in a chain keeps the sign",
        "an end without a choice is what the last decision led to",
    ],
)
def test_advantages_are_those_worked_out_by_hand(game: Game, settings: dict[str, float], expected: list[float]) -> None:
    (found,) = gains(game, **settings)

    assert found[: len(expected)] == pytest.approx(expected)


def test_steps_without_a_choice_are_as_if_they_had_not_been_taken() -> None:
    """Player 0 chooses, then 1 and 0 have no choice, then 1 chooses and wins; guesses between do not count."""
    forced = Game([0, 0, 0, 1], [0.2, 0.9, -0.9, 0.4, 0], [0, 1, 0, 1, 0], [0, 0, 0, 1], forced=[0, 1, 1, 0])
    without = Game([0, 1], [0.2, 0.4, 0], [0, 1, 0], [0, 1])

    (through,), (expected,) = gains(forced, gae_lambda=0.5), gains(without, gae_lambda=0.5)

    assert [through[0], through[3]] == pytest.approx(expected)


def test_games_side_by_side_do_not_touch() -> None:
    one = Game([0, 1], [0.1, 0.2, 0.3], [0, 1, 0], [0, 1])
    other = Game([0, 0], [-0.3, 0.5, 0.7], [1, 1, 0], [0, 0])

    assert gains(one, other, discount=0.9, gae_lambda=0.8) == [
        gains(game, discount=0.9, gae_lambda=0.8)[0] for game in (one, other)
    ]
