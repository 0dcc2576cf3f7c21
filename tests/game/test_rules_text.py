"""The rules in sentences say what the game's data say, in words that a newcomer knows."""

import re
from pathlib import Path

import pytest
from option_values import Variants, under_option_values

from alquerque_env import Match, games, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.rules_text import rule_sentences
from alquerque_env.match.status_text import outcome_sentence

SMALL = """
title = "Small"
version = 1
sources = ["a test"]
promoted_piece = "officer"
board.title = "Square"
board.rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2]]
board.lines = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]
start = { south = "a1 b1 c1", north = "a3 b3 c3" }
openings = { left = ["a1-a2", "*-b2"] }

[rules]
man_steps = "forward_sideways"
man_capture_dirs = "all"
promotion = "last_rank"
progress = "capture"
capture = "compulsory"
chain = "single"
no_moves = "loss"
capture_removal = "immediate"
repetition = "off"
no_progress_limit = 20
no_progress_result = "draw"
who_starts = "WHO"
opening = "left"
"""


def sentences(game: Game | str, **options: object) -> str:
    return " ".join(rule_sentences(load_game(game, **options) if isinstance(game, str) else game))


def small(folder: Path, who: str) -> Game:
    file = folder / "small.toml"
    file.write_text(SMALL.replace("WHO", who), encoding="utf-8")
    return load_game(str(file))


@under_option_values(slow=1)
def test_every_game_has_its_rules_in_sentences_under_every_value_of_every_option(variants: Variants) -> None:
    for game in variants:
        for sentence in rule_sentences(game):
            assert re.fullmatch(r"\S.*\.", sentence), game
            assert not re.search(r"[{}]|None|  ", sentence), game


def test_a_promoted_piece_is_called_by_its_name_in_the_game() -> None:
    for game in map(load_game, games()):
        texts = [sentences(game)]
        texts += [text for option in game.option_table.values() for text in (option.question, *option.values.values())]
        other = {"mullah": "king", "king": "mullah"}.get(game.promoted_piece)
        assert other is None or not any(other in text for text in texts), game
        assert (f"promoted to a {game.promoted_piece}" in texts[0]) == (game.rules.promotion != "none"), game


def test_the_names_before_a_colon_are_sources_of_the_game() -> None:
    for game in map(load_game, games()):
        explained = {key for source in game.sources if ": " in source for key in source.partition(":")[0].split(", ")}
        for option in game.option_table.values():
            assert set(re.findall(r"\b(?:[A-Z]{2,}|W)\b", option.source)) <= explained, (game, option)
            assert "Ludii" not in option.source or any("Ludii" in source for source in game.sources), (game, option)


def test_circles_are_lines_to_step_and_leap_along() -> None:
    assert "steps along a line or circle" in sentences("pretwa")
    assert "on the same line or circle" in sentences("pretwa")
    assert "circle" not in sentences("fetaix")


def test_a_choice_among_captures_is_free_unless_the_most_pieces_count() -> None:
    assert "free to choose" in sentences("fetaix")
    assert "free to choose" not in sentences("fetaix", max_capture="most_pieces")
    assert "free to choose" not in sentences("fetaix", capture="optional")


def test_a_man_that_may_pass_a_point_of_promotion_is_promoted_where_its_turn_ends() -> None:
    assert "A man that ends a turn on a promotion point, a5 and e5 for South and a1 and e1 for North," in sentences(
        "felli"
    )
    assert "A man that reaches the enemy's first rank is promoted to a king" in sentences("draughts_english")


def test_a_promoted_piece_flies_along_the_lines_that_the_game_names() -> None:
    flies = (
        "The mullah steps along a {0} over any number of vacant points, and captures the first enemy on a {0} from any "
        "distance"
    )
    assert flies.format("long diagonal") in sentences("fetach")
    assert flies.format("line") in sentences("fetach", mullah_lines="all")


def test_the_aim_is_what_wins() -> None:
    assert "The aim is to capture all but three enemy pieces, or to" in sentences("pretwa", lose_at_three=True)
    assert "The aim is to capture all enemy pieces." in sentences("high_jump")


def test_a_sanctuary_is_named() -> None:
    assert "A piece on c3 cannot be captured." in sentences("high_jump")


@pytest.mark.parametrize(
    ("who", "opening"),
    [("player_0", "a step from a1 to a2 or a step to b2"), ("player_1", "a step from c3 to c2 or a step to b2")],
)
def test_a_first_step_that_no_option_changes_is_named_as_it_is_seen_on_the_board(
    tmp_path: Path, who: str, opening: str
) -> None:
    game = small(tmp_path, who)
    assert f"The first turn of the match is {opening}; captures are not considered." in sentences(game)
    assert "promoted to an officer" in sentences(game)
    first = {(str(step).split("-")[0], str(step).split("-")[1]) for step in Match(game).legal_steps}
    assert first == ({("a1", "a2"), ("b1", "b2")} if who == "player_0" else {("c3", "c2"), ("b3", "b2")})


def test_a_side_reduced_to_three_pieces_is_told_so() -> None:
    match = Match(load_game("pretwa", lose_at_three=True), "W:Wa1,b1,c1,f1:Bo0,e2,f3,d3")
    match.push("a1xd1")
    assert match.outcome is not None
    assert outcome_sentence(match, match.outcome) == "South wins: North has only 3 pieces left."
