"""The aim of a game in the words of the page, and the names of its sources."""

import re

import pytest

from alquerque_env import games, load_game
from alquerque_env.game.aim_text import aims, common_aim, seats, spell_number
from alquerque_env.solve.solutions import cite, source_names


def test_the_aim_of_an_even_game_counts_the_pieces_of_the_other_side() -> None:
    game = load_game("alquerque")
    assert aims(game) == (
        "Capture all twelve dark pieces, or block them.",
        "Capture all twelve white pieces, or block them.",
    )
    assert seats(game) == ("You are white.", "You are dark.")
    assert common_aim(game) == "Capture all twelve enemy pieces, or block them."


def test_each_side_of_a_hunt_has_its_own_aim() -> None:
    assert aims(load_game("bagh_chal")) == (
        "Capture five of the 20 goats, or block them.",
        "Surround the tigers, so that they have no move left.",
    )
    assert seats(load_game("fox_and_geese")) == ("You are the fox (white).", "You are the geese (dark).")
    assert common_aim(load_game("catch_the_hare")) == (
        "Hare (white): capture three of the twelve hunters, or block them. "
        "Hunters (dark): surround the hare, so that it has no move left."
    )


def test_a_goal_is_part_of_the_aim() -> None:
    assert aims(load_game("indian_and_jackrabbits_tohono"))[1] == (
        "Bring all twelve jackrabbits across the board, or leave the Indian without a move."
    )


def test_the_aim_follows_the_options() -> None:
    assert aims(load_game("pretwa", lose_at_three=True))[0] == "Capture all but three dark pieces, or block them."
    assert aims(load_game("bagh_chal", loses_at="none"))[0] == "Capture all 20 goats, or block them."
    assert aims(load_game("bagh_chal", no_moves="pass"))[0] == "Capture five of the 20 goats."
    assert aims(load_game("fetaix", no_moves="draw"))[0] == "Capture all twelve dark pieces."


@pytest.mark.parametrize("name", games())
def test_an_aim_promises_what_the_rules_keep(name: str) -> None:
    """To block wins where a player without a move loses, and as many pieces are to be captured as there are."""
    game = load_game(name)
    for player, aim in enumerate(aims(game)):
        assert aim.endswith(".")
        blocks = "block" in aim or "no move left" in aim or "without a move" in aim
        assert blocks == (game.no_moves[1 - player] == "loss")
        count = len(game.start[1 - player]) + game.hands[1 - player]
        if aim.startswith("Capture all"):
            assert f"all {spell_number(count)} " in aim
        elif aim.startswith("Capture"):
            assert f"Capture {spell_number(count - game.loses_at[1 - player])} of the {spell_number(count)} " in aim


def test_sources_of_options_are_named_not_abbreviated() -> None:
    assert cite(load_game("alquerque"), "capture") == "the piecepack ruleset of Alquerque: must"
    assert cite(load_game("fetaix"), "capture_removal") == "Mats Winther: instantly"


@pytest.mark.parametrize("name", games())
def test_no_key_of_a_source_is_left(name: str) -> None:
    game = load_game(name)
    keys = source_names(game)
    for option in game.option_table:
        assert not set(re.findall(r"\b[A-Z][A-Za-z]*\b", cite(game, option))) & {key for key in keys if len(key) > 1}
