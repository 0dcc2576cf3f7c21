"""Matches against random: who is counted as the winner, and the interval."""

from collections.abc import Callable

import numpy as np
import pytest
from alquerque_training.measure.evaluate import as_strength, play_random, random_actions

from alquerque_env.arena.evaluation import Evaluation, evaluate
from alquerque_env.arena.score import Score
from tests.training.heap_game import HeapEnv, solve, value_of

VALUES = solve()


def player(sign: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Takes the best action of every row by the solution of the heap game, or with -1 the worst."""

    def choose(planes: np.ndarray, mask: np.ndarray) -> np.ndarray:
        heaps = planes[:, 0].argmax(-1)
        return np.array(
            [
                max(np.flatnonzero(row), key=lambda action, heap=heap: sign * value_of(heap - action - 1, VALUES))
                for heap, row in zip(heaps, mask, strict=True)
            ]
        )

    return choose


class TwoWins(HeapEnv):
    """Every game starts at 11, which its first player wins by taking one: 10 goes on, and 11 is never lost again."""

    def restart(self, row: int) -> None:
        super().restart(row)
        self.heap[row] = 11


def test_a_perfect_player_wins_all_its_won_games_and_a_hopeless_one_does_not() -> None:
    assert VALUES[11] == 1
    strong = play_random(player(1), TwoWins(200), seed=1)
    weak = play_random(player(-1), TwoWins(200), seed=1)

    assert strong.seats[0] == Score(wins=100, draws=0, losses=0)
    assert strong.seats[1].wins > 50
    assert weak.seats[0].losses > 20
    assert weak.wins + 50 < strong.wins


def test_a_truncated_game_is_a_draw() -> None:
    evaluation = play_random(player(1), TwoWins(20, max_cycles=1), seed=1)

    assert evaluation.seats == (Score(0, 10, 0), Score(0, 10, 0))


def test_the_same_seed_gives_the_same_matches() -> None:
    one, again, other = (play_random(player(-1), HeapEnv(60), seed=seed) for seed in (1, 1, 2))

    assert one == again != other


def test_random_actions_are_legal_and_uniform() -> None:
    mask = np.tile(np.array([1, 0, 1, 1], dtype=bool), (30_000, 1))
    counts = np.bincount(random_actions(mask, np.random.default_rng(0)), minlength=4)

    assert counts[1] == 0
    assert counts[[0, 2, 3]] == pytest.approx(10_000, rel=0.03)


def test_an_evaluation_says_seats_share_and_interval() -> None:
    evaluation = Evaluation.of_seats(Score(99, 1, 0), Score(97, 0, 3))

    assert str(evaluation) == (
        "won 99 of 100 as player_0 (1 drawn), 97 of 100 as player_1 (0 drawn) against random: 98.0%, "
        "95% interval 95.0% to 99.2%"
    )
    assert "won 99 of 100 as player_0, 97 of" in str(Evaluation.of_seats(Score(99, 0, 1), Score(97, 0, 3)))
    assert as_strength(evaluation, "policy alone")["win_rate"] == 0.98
    assert as_strength(evaluation, "policy alone")["by_seat"][1] == {"wins": 97, "draws": 0, "losses": 3}


def test_an_evaluation_names_roles_and_draws_where_the_sides_differ() -> None:
    evaluation = Evaluation.of_seats(Score(99, 1, 0), Score(7, 60, 33), "greedy", ("tiger", "goat"))

    assert str(evaluation).startswith(
        "won 99 of 100 as tiger (1 drawn), 7 of 100 as goat (60 drawn) against greedy: 53.0%, "
    )
    assert evaluate("greedy", "bagh_chal", "random", 2).roles == ("tiger", "goat")
    assert evaluate("greedy", "pretwa", "random", 2).roles is None
