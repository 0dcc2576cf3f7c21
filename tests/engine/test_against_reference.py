"""Engine and reference, which share no code, agree at every sub-step of random matches under every option value."""

from dataclasses import replace

import numpy as np
import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.errors import RulesError
from alquerque_env.game.game import Game
from tests.all_forms import assert_same, check_positions
from tests.option_values import Variants, under_option_values
from tests.reference import Reference, RefMatch, RefStep


@under_option_values()
def test_engine_and_reference_agree_at_every_sub_step(variants: Variants) -> None:
    for game in variants:
        compare_matches(game, 2)


@pytest.mark.long
@pytest.mark.parametrize("name", games())
def test_engine_and_reference_agree_in_many_matches(name: str) -> None:
    for game in Variants(name, "values", (0, 1)):
        compare_matches(game, 60)


def compare_matches(game: Game, matches: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(matches):
        play_both(game, rng)


def play_both(game: Game, rng: np.random.Generator) -> None:
    """Plays one random match on both."""
    match, other = Match(game), RefMatch(Reference(game))
    while True:
        assert_same(game, match, other)
        if match.is_over:
            return
        step = match.legal_steps[rng.integers(len(match.legal_steps))]
        match.push(step)
        other.push(RefStep(step.origin, step.target, step.captured[0] if step.captured else None))


def test_loading_refuses_what_contradicts_itself() -> None:
    for options in (
        {"max_capture": "most_pieces", "chain": "optional"},
        {"mullah_landing": "must_continue", "chain": "single"},
        {"max_capture": "most_pieces", "capture": "optional"},
        {"no_progress_limit": "off"},
    ):
        with pytest.raises(RulesError):
            load_game("fetaix", **options)


_LOOSE = {"man_steps": "all", "man_capture_dirs": "all", "undo_cleared_by_jump": False}

# Rules that no game here has together, but a game file may.
UNCOMMON: list[tuple[str, dict[str, object]]] = [
    ("alquerque", {"man_steps": "all", "undo_scope": "never_revisit", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "undo_scope": "per_player_last_move", "no_progress_limit": 30}),
    ("fetaix", {"progress": "capture", "opening": "straight_only"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "forward", "progress": "capture_or_man_step"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "all", "mullah_steps": "one_point"}),
    ("fetaix", {"mullah_captures": "next_point", "man_capture_dirs": "all", "no_progress_limit": 7}),
    ("fetaix", {"mullah_captures": "next_point", "mullah_steps": "one_point", "max_capture": "most_pieces"}),
    ("awithlaknannai_mosona", {"lose_at_three": True, "capture_removal": "end_of_turn"}),
    ("alquerque_murray", {"lose_at_three": True, "man_steps": "forward", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "last_rank_frozen": True, "no_progress_limit": 30}),
    ("fetaix", {"undo_scope": "per_coin", "mullah_steps": "one_point"}),
    ("fetaix", {"undo_scope": "never_revisit", "man_steps": "all", "capture_removal": "end_of_turn"}),
    ("fetaix", {"undo_scope": "per_player_last_move", "midchain_promotion": "promote_and_continue"} | _LOOSE),
    ("fetaix", {"undo_scope": "never_revisit", "midchain_promotion": "promote_and_stop"} | _LOOSE),
    ("fetaix", {"undo_scope": "per_coin", "chain": "optional", "mullah_steps": "one_point"} | _LOOSE),
]


def uncommon_game(name: str, rules: dict[str, object]) -> Game:
    """A game with other rules."""
    game = load_game(name)
    return replace(game, rules=replace(game.rules, **rules))


@pytest.mark.parametrize(("name", "rules"), UNCOMMON, ids=str)
def test_engine_and_reference_agree_under_rules_of_no_game_here(name: str, rules: dict[str, object]) -> None:
    game = uncommon_game(name, rules)
    compare_matches(game, 3)
    compare_positions(game)


@under_option_values(sample=2)
def test_engine_and_reference_agree_on_random_positions_and_the_chains_from_there(variants: Variants) -> None:
    for game in variants:
        compare_positions(game)


def compare_positions(game: Game) -> None:
    """Compares random positions and six sub-steps after each."""
    assert check_positions(game, Reference(game), np.random.default_rng(1), 20) > 0
