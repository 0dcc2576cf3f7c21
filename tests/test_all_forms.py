"""Games under every option value, and under rules that no game has, are played in every form: all agree and end."""

from typing import Any

import pytest

from alquerque_env import games, load_game
from alquerque_env.engine.torch_table import make_torch_table
from alquerque_env.game.game import Game
from tests.all_forms import PLAIN, TORCH, check_game, compare_batches, compare_matches, compare_positions
from tests.option_values import UNCOMMON, Variants, core_games, uncommon_game, under_option_values


@under_option_values()
def test_engine_and_reference_agree_at_every_sub_step(variants: Variants) -> None:
    for game in variants:
        compare_matches(game, 2)


@under_option_values(sample=2)
def test_engine_and_reference_agree_on_random_positions_and_the_chains_from_there(variants: Variants) -> None:
    for game in variants:
        compare_positions(game)


@pytest.mark.parametrize("name", core_games())
def test_every_form_of_a_game_plays_the_same_matches(name: str) -> None:
    check_game(load_game(name), 1)


@pytest.mark.slow
@under_option_values(slow=3)
def test_plain_and_compiled_kernels_and_tensors_play_the_same_matches(variants: Variants) -> None:
    for game in variants:
        check_game(game, 2, (PLAIN, TORCH))
        if make_torch_table(game) is None:
            assert compares_or_remembers(game), game


def compares_or_remembers(game: Game) -> bool:
    """Whether the board is large, captures are compared or memory holds points, which only single matches follow."""
    rules = game.rules
    compares = rules.max_capture != "none" or rules.mullah_landing == "must_continue"
    return compares or game.remembers_points or game.board.is_wide


@pytest.mark.long
@pytest.mark.parametrize("name", games())
def test_engine_and_reference_agree_in_many_matches(name: str) -> None:
    for game in Variants(name, "values", (0, 1)):
        compare_matches(game, 60)


@pytest.mark.parametrize(("name", "rules"), UNCOMMON, ids=str)
def test_all_agree_under_rules_of_no_game_here(name: str, rules: dict[str, Any]) -> None:
    game = uncommon_game(name, rules)
    compare_matches(game, 3)
    compare_positions(game)
    compare_batches(game)
