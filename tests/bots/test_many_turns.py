"""Bots choose in bounded time in positions with more turns than they can look at. Bounds are counts, not times."""

import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.bots.alphabeta import MOST_NODES, WIDTHS
from alquerque_env.game.kernel_arrays import JIT
from tests.sets import first_by_default

# Found by random play. One piece can capture most of the enemies in tens of thousands of orders.
CROWDED = [
    ("kolowis_awithlaknannai", {"opening": "any"}),
    ("kolowis_awithlaknannai", {"opening": "any", "chain": "optional"}),
    ("kolowis_awithlaknannai", {"opening": "any", "chain": "optional", "capture_removal": "end_of_turn"}),
]


def crowded(name: str, options: dict[str, str]) -> Match:
    """Two pieces among many enemies with vacant points around them."""
    game = load_game(name, **options)
    labels = game.board.labels
    enemies = ",".join(label for place, label in enumerate(labels) if place % 2 == 1 and place not in (21, 25))
    return Match(game, f"W:W{labels[22]},{labels[26]}:B{enemies}")


@first_by_default
@pytest.mark.skipif(not JIT, reason="long without Numba")
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(("name", "options"), CROWDED)
def test_alphabeta_looks_at_a_bounded_number_of_positions(name: str, options: dict[str, str], depth: int) -> None:
    match = crowded(name, options)
    bot = load_bot(f"alphabeta:{depth}", match.game, seed=1)
    found = bot.analyse(match)
    assert found.nodes <= len(WIDTHS) * sum(MOST_NODES << 2 * turn for turn in range(depth))
    assert found.best.step in match.legal_steps
    assert bot.choose(match) in match.legal_steps


@pytest.mark.skipif(not JIT, reason="long without Numba")
def test_a_narrowed_search_still_sees_that_a_capture_of_many_beats_one_of_few() -> None:
    match = crowded(*CROWDED[1])
    before = _material(match)
    bot = load_bot("alphabeta:1", match.game, seed=1)
    while match.player == 0 and not match.is_over:
        match.push(bot.choose(match))
    assert _material(match) - before >= 8


@pytest.mark.skipif(not JIT, reason="long without Numba")
def test_all_steps_are_compared_in_a_bounded_search() -> None:
    match = crowded(*CROWDED[1])
    found = load_bot("alphabeta:1", match.game, seed=1).analyse(match, all_steps=True)
    assert {each.step for each in found.candidates} == set(match.legal_steps)
    assert found.nodes <= len(match.legal_steps) * len(WIDTHS) * MOST_NODES


@pytest.mark.skipif(not JIT, reason="long without Numba")
def test_the_choice_in_such_a_position_follows_from_the_seed() -> None:
    match = crowded(*CROWDED[0])
    chosen = [load_bot("alphabeta:2", match.game, seed=4).choose(match) for _ in range(2)]
    assert chosen[0] == chosen[1]


@first_by_default
@pytest.mark.parametrize(("name", "options"), CROWDED)
def test_greedy_chooses_a_capture_without_following_every_chain(name: str, options: dict[str, str]) -> None:
    match = crowded(name, options)
    assert load_bot("greedy", match.game, seed=1).choose(match).captured  # without a bound it would take long


def _material(match: Match) -> int:
    white, black = (part[1:].split(",") for part in match.position.split(":")[1:3])
    return len(white) - len(black)
