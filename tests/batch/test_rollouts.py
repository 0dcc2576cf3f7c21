"""Random matches are what the rules make of drawing every legal step as likely as every other."""

import math
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from alquerque_env import Match, load_game, rollouts
from alquerque_env.batch.rollouts import measure_branching
from alquerque_env.engine.compiler import JIT
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.match.match import REASONS
from tests.reference import Reference, RefState
from tests.small_games import small_game

MATCHES = 10_000
# As many standard deviations are missed by chance once in two million trials.
SIGMAS = 5

SMALL = {
    "memory": small_game("alquerque", "square", "a1 b1 c1 a2", "c2 a3 b3 c3"),
    "flights": small_game("fetaix", "oblong", "a1 b1", "c3 d3", no_progress_limit=3),
    "arcs": small_game("awithlaknannai_mosona", "snake", "b1 a2 b3", "d1 e2", no_progress_limit=5),
    "stopping": small_game("alquerque_murray", "square", "a1 b1", "a3 c2 b3", no_progress_limit=4),
    "passing": small_game("alquerque_alfonso_x", "ladder", "a1 b1", "a3 b3", no_progress_limit=6, no_moves="pass"),
    "asymmetric": small_game("alquerque_alfonso_x", "hook", "a1 b1", "a2 b3", no_progress_limit=6),
    "opening": small_game("fetaix", "square", "a1 b1 c1", "a3 b3 c3", opening=(None, 4), no_progress_limit=3),
    "longest": small_game("fetaix", "square", "a1 b1 c1", "a3 b3 c3", no_progress_limit=3, max_capture="most_pieces"),
}


LARGER = ("memory", "flights", "stopping")
every_small_game = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LARGER else ()) for name in SMALL]
)


class Chances(NamedTuple):
    """Chances that either player wins; means of the steps, of their square, of the turns and of the legal actions."""

    south: float
    north: float
    length: float
    square: float
    turns: float
    choices: float


def expect(game: Game) -> Chances:
    """What random play comes to, worked out on the reference."""
    reference = Reference(game)

    @cache
    def chances(state: RefState) -> Chances:
        ended = reference.outcome(state)
        if ended is not None:
            return Chances(float(ended[0] == 0), float(ended[0] == 1), 0.0, 0.0, 0.0, 0.0)
        after = [reference.play(state, step) for step in reference.legal(state)]
        ends = [reference.outcome(new) is not None or new.player != state.player for new in after]
        mean = Chances(*(sum(column) / len(after) for column in zip(*map(chances, after), strict=True)))
        return Chances(
            *mean[:2],
            mean.length + 1,
            mean.square + 2 * mean.length + 1,
            mean.turns + sum(ends) / len(ends),
            mean.choices + len(after),
        )

    return chances(reference.start())


@every_small_game
def test_winners_lengths_turns_and_choices_are_those_of_the_reference(name: str) -> None:
    game = SMALL[name]
    expected, found, measured = expect(game), rollouts(game, MATCHES, seed=1), measure_branching(game, MATCHES, seed=1)
    assert 0 < expected.south < 1, "nothing is left to chance"
    for player, chance in enumerate(expected[:2]):
        assert abs(found.share(player) - chance) <= SIGMAS * math.sqrt(chance * (1 - chance) / MATCHES)
    spread = math.sqrt((expected.square - expected.length**2) / MATCHES)
    for length in (found.length, measured.rollouts.length):
        assert abs(length.mean() - expected.length) <= SIGMAS * spread
    for seen, mean in ((measured.turns, expected.turns), (measured.choices, expected.choices)):
        assert abs(seen.mean() - mean) <= SIGMAS * seen.std() / math.sqrt(MATCHES)


def test_the_same_seed_gives_the_same_matches_and_another_one_others() -> None:
    some, others = rollouts("fetaix", 3000, seed=4), rollouts("fetaix", 3000, seed=5)
    assert all((a == b).all() for a, b in zip(some, rollouts("fetaix", 3000, seed=4), strict=True))
    assert (some.length != others.length).any()


SCRIPT = """
from alquerque_env import rollouts
found = rollouts("fetaix", 3000, seed=4)
print((found.length * (found.winner + 2)).sum())
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT or platform.machine() not in ("x86_64", "AMD64"), reason="asks for the least of its kind")
def test_a_processor_without_extensions_plays_the_same_matches(tmp_path: Path) -> None:
    environment = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2", "NUMBA_CACHE_DIR": str(tmp_path)}
    played = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    found = rollouts("fetaix", 3000, seed=4)
    assert int(played.stdout) == (found.length * (found.winner + 2)).sum()


def test_the_piecepack_rules_always_yield_a_winner() -> None:
    """At most 24 quiet moves of a coin between captures."""
    found = rollouts("alquerque", 1000, seed=1)
    assert set(found.winner.tolist()) == {0, 1}
    assert set(found.endings()) >= {"captured", "blocked"}
    assert found.length.max() <= 2 * ((24 + 23) * 24 + 23)


def test_matches_without_a_seed_differ() -> None:
    assert (rollouts("fetaix", 500).length != rollouts("fetaix", 500).length).any()


@settings(deadline=None, max_examples=10)
@given(count=st.integers(1, 70), seed=st.integers(0, 2**63 - 1))
def test_the_requested_number_of_matches_is_finished(count: int, seed: int) -> None:
    found = rollouts("awithlaknannai_mosona", count, seed=seed)
    assert found.winner.shape == found.length.shape == found.reason.shape == (count,)
    assert (found.length >= 1).all()
    assert set(np.unique(found.winner)) <= {-1, 0, 1}
    assert sum(found.endings().values()) == count
    assert math.isclose(found.share(0) + found.share(1) + found.share(-1), 1)


def test_matches_begin_at_the_given_position_and_do_not_change_it() -> None:
    match = Match(load_game("fetaix"), "W:WKa1,b1:Bb2,d4,a5")
    position = match.position
    found = rollouts(match, 200, seed=1)
    assert match.position == position
    assert found.share(0) > found.share(1)


def test_a_chain_in_progress_is_continued_and_its_rest_is_one_turn() -> None:
    match = Match(load_game("alquerque_alfonso_x", chain="compulsory"), "W:Wa1:Ba2,a4")
    match.push("a1xa3")
    assert match.chain is not None
    found, measured = rollouts(match, 10, seed=1), measure_branching(match, 10, seed=1)
    assert (found.winner == 0).all()
    assert found.length.tolist() == measured.turns.tolist() == measured.choices.tolist() == [1] * 10
    assert measured.most == 1


def test_repetitions_of_the_match_so_far_count() -> None:
    match = Match(load_game("alquerque_alfonso_x", repetition="threefold_draw"), "W:Wa1:Be5")
    for step in ("a1-a2", "e5-e4", "a2-a1", "e4-e5", "a1-a2", "e5-e4", "a2-a1"):
        match.push(step)
    went_on, fresh = rollouts(match, 200, seed=1), rollouts(Match(match.game, match.position), 200, seed=1)
    third = next(code for code, name in REASONS.items() if name == "repetition")
    assert ((went_on.reason == third) & (went_on.length == 1)).any()
    assert not ((fresh.reason == third) & (fresh.length < 8)).any()


@pytest.mark.parametrize(
    ("start", "count", "seed", "message"),
    [
        ("fetaixx", 1, 0, "no game 'fetaixx'"),
        ("fetaix", 0, 0, "count is 0, expected an integer of at least 1"),
        ("fetaix", 1.5, 0, "count is 1.5"),
        ("fetaix", True, 0, "count is True"),
        ("fetaix", 1, -1, "seed is -1, expected an integer of at least 0"),
        ("fetaix", 1, "x", "seed is 'x'"),
    ],
)
def test_bad_input_is_refused(start: str, count: int, seed: int, message: str) -> None:
    with pytest.raises(AlquerqueError, match=message):
        rollouts(start, count, seed=seed)


def test_an_ended_match_is_refused() -> None:
    with pytest.raises(AlquerqueError, match="the match has ended"):
        rollouts(Match(load_game("fetaix"), "W:Wa1:B"), 1)


def test_branching_is_repeated_by_a_seed() -> None:
    measured, again = (measure_branching("fetaix", 3000, seed=4) for _ in range(2))
    found = measured.rollouts
    assert (measured.turns <= found.length).all()
    assert (measured.choices >= found.length).all()
    assert measured.factor == measured.choices.sum() / found.length.sum() <= measured.most
    assert (again.turns == measured.turns).all()
    assert (again.choices == measured.choices).all()
