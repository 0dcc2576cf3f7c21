"""Ratings and scores by seat, in games whose sides differ."""

import io

import numpy as np
import pytest
from rich.console import Console

from alquerque_env import load_game
from alquerque_env.arena import Meeting, Settings, play_arena
from alquerque_env.arena.ratings import expected_score, rate_by_seat
from alquerque_env.arena.report import print_result


def play(truth: list[tuple[float, float]], openings: int, seed: int) -> list[Meeting]:
    """Simulated pairs of matches between players with these ratings in each seat."""
    generator = np.random.default_rng(seed)
    found = []
    for first in range(len(truth)):
        for second in range(first + 1, len(truth)):
            chances = (
                expected_score(truth[first][0] - truth[second][1]),
                expected_score(truth[first][1] - truth[second][0]),
            )
            points = (generator.random((openings, 2)) < chances).astype(float)
            found.append(Meeting(str(first), str(second), tuple(map(tuple, points.tolist()))))
    return found


def test_ratings_by_seat_recover_the_strength_of_each_role() -> None:
    truth = [(0.0, -200.0), (150.0, -150.0), (200.0, 100.0)]
    ratings = rate_by_seat(play(truth, 3000, 1), "0", 1, 20)
    assert ratings is not None
    for estimates, true in zip(ratings.values(), truth, strict=True):
        for estimate, rating in zip(estimates, true, strict=True):
            assert estimate.value == pytest.approx(rating, abs=30)


def test_intervals_by_seat_hold_the_truth_nearly_always() -> None:
    truth = [(0.0, -100.0), (80.0, -50.0), (100.0, 60.0)]
    hits = []
    for seed in range(12):
        ratings = rate_by_seat(play(truth, 60, seed), "0", seed, 100)
        assert ratings is not None
        hits += [
            estimate.low <= rating <= estimate.high
            for estimates, true in zip(ratings.values(), truth, strict=True)
            for estimate, rating in zip(estimates, true, strict=True)
            if rating != 0
        ]
    assert np.mean(hits) > 0.85


def test_two_players_do_not_connect_the_seats() -> None:
    assert rate_by_seat(play([(0, 0), (0, 0)], 4, 0), "0", 0, 1) is None


@pytest.mark.parametrize(("game", "has_roles"), [("catch_the_hare", True), ("felli_simplified", False)])
def test_an_arena_tells_the_score_of_each_seat(game: str, has_roles: bool) -> None:
    settings = Settings(games=2, resamples=20, judge="random", plies=0)
    result = play_arena(load_game(game), ["random", "greedy", "mcts:4"], settings)
    told = result.as_dict()
    for pair in told["pairs"]:
        assert 2 * pair["score"] == pytest.approx(sum(pair["seats"]), abs=1e-3)
    assert set(told["ratings_by_seat"]) == (set(told["players"]) if has_roles else set())
    for ratings in told["ratings_by_seat"].values():
        assert all(rating["low"] <= rating["rating"] <= rating["high"] for rating in ratings)
    output = io.StringIO()
    print_result(result, Console(file=output, width=140))
    assert ("Elo as hunter" in output.getvalue()) == has_roles


def test_a_gauntlet_in_a_game_of_two_roles_is_rated_and_counts_by_seat() -> None:
    """Its pairings never connect the first player in one seat with itself in the other."""
    settings = Settings(games=4, resamples=20, judge="random", plies=1, gauntlet=True)
    result = play_arena(load_game("catch_the_hare"), ["greedy", "random", "mcts:4"], settings)
    assert [player.seat_ratings for player in result.players] == [None] * 3
    for pairing in result.pairings:
        seats = pairing.seats
        assert [seat.games for seat in seats] == [2, 2]
        assert pairing.seen_from(pairing.second).seats == (seats[1].mirrored, seats[0].mirrored)
        assert pairing.seen_from(pairing.second).pairs == pairing.pairs[::-1]
        assert Meeting.read(pairing.first, pairing.second, pairing.signs).points == pairing.points


@pytest.mark.parametrize("signs", ["+", "+?", "1=", " +"])
def test_other_texts_than_the_signs_of_pairs_are_no_meeting(signs: str) -> None:
    with pytest.raises(ValueError, match="is not two signs for each opening"):
        Meeting.read("a", "b", signs)
