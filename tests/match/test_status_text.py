"""A match in words: who won and why, and what a player should know."""

import pytest

from alquerque_env import Match, load_game
from alquerque_env.match.status_text import outcome_sentence, standing

BLOCKED = "W:Wb5,a4,b4,a3,c3,c4:Ba5"
TWICE = ["a1-a2", "e4-e5", "a2-a1", "e5-e4"] * 2


@pytest.mark.parametrize(
    ("game", "options", "position", "steps", "sentence"),
    [
        ("fetaix", {}, "W:Wa1:Bb2", ["a1xc3"], "South wins: North has no pieces left."),
        ("alquerque", {}, BLOCKED, ["c4-c5"], "South wins: North cannot move."),
        ("fetaix", {"no_moves": "draw"}, BLOCKED.replace("Wb5", "WKb5"), ["c4-c5"], "Draw: North cannot move."),
        (
            "alquerque_alfonso_x",
            {"no_moves": "majority"},
            BLOCKED,
            ["c4-c5"],
            "South wins: North cannot move, and South has more pieces, 6 to 1.",
        ),
        (
            "fetaix",
            {"no_progress_limit": 4},
            "W:WKa1:BKe4:H3",
            ["a1-a2"],
            "Draw: 4 turns without a capture or a promotion.",
        ),
        (
            "awithlaknannai_mosona",
            {"no_progress_limit": 4},
            "W:Wb1,d1:Bn3:H3",
            ["b1-a2"],
            "South wins: 4 turns without a capture, and South has more pieces, 2 to 1.",
        ),
        (
            "awithlaknannai_mosona",
            {"no_progress_limit": 4},
            "W:Wb1:Bn3:H3",
            ["b1-a2"],
            "Draw: 4 turns without a capture, and each side has 1 of its pieces.",
        ),
        (
            "fetaix",
            {"repetition": "threefold_draw"},
            "W:WKa1:BKe4",
            TWICE,
            "Draw: the position has occurred three times.",
        ),
    ],
)
def test_the_outcome_says_who_won_and_why(game, options, position, steps, sentence) -> None:
    match = Match(load_game(game, **options), position)
    for step in steps:
        match.push(step)
    assert outcome_sentence(match, match.outcome) == sentence


@pytest.mark.parametrize(
    ("game", "position", "sentence"),
    [
        ("fetaix", "W:WKa1:BKe5,e2:H71", "The match ends after 9 more turns without a capture or a promotion."),
        ("fetaix", "W:WKa1:BKe5,e2:H60", ""),
        ("alquerque_murray", "W:Wc1:Bd1,e5:Cc1", "The piece on c1 may go on capturing, or pass to stop."),
        ("alquerque", "W:Wc1:Bd1,e5:Cc1", "The piece on c1 must go on capturing."),
    ],
)
def test_a_player_is_told_what_the_board_does_not_show(game: str, position: str, sentence: str) -> None:
    assert standing(Match(game, position)) == sentence
