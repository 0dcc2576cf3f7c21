"""Captures of several pieces, and chains that are held to their way: Fanorona and Rimau."""

import pytest

from alquerque_env import Match, load_game
from alquerque_env.bots.load import load_bot
from alquerque_env.errors import AmbiguousStepError

ROWS = "W:Wd3:Ba1,b3,c3,f3,g3,i3"
STRAIGHT = "W:Wb3:Ba3,e3,i5"


def texts(match: Match) -> dict[str, list[str]]:
    """The legal steps, each with the labels of the pieces that it takes."""
    labels = match.game.board.labels
    return {step.text: [labels[point] for point in step.captured] for step in match.legal_steps}


def test_a_step_between_two_rows_takes_one_of_them_up_to_the_first_gap() -> None:
    match = Match("fanorona", ROWS)
    assert texts(match) == {"d3xe3^c3": ["c3", "b3"], "d3xe3^f3": ["f3", "g3"]}

    with pytest.raises(AmbiguousStepError, match=r"d3xe3\^c3.*d3xe3\^f3"):
        match.push("d3xe3")
    match.push("d3xe3^f3")
    assert match.position == "B:We3:Ba1,b3,c3,i3"
    match.pop()
    match.push("d3xe3^c3")
    assert match.position == "B:We3:Ba1,f3,g3,i3"


def test_a_chain_that_must_turn_may_not_go_straight_on() -> None:
    match = Match("fanorona", STRAIGHT)
    match.push("b3xc3^a3")
    assert match.position == "B:Wc3:Be3,i5"

    match = Match(load_game("fanorona", chain_must_turn=False), STRAIGHT)
    match.push("b3xc3^a3")
    assert match.position == "W:Wc3:Be3,i5:Cc3:Vb3"
    assert texts(match) == {"c3xd3^e3": ["e3"], "pass": []}


def test_a_chain_returns_to_no_point_where_it_has_been() -> None:
    match = Match("fanorona", "W:Wb3:Ba3,d3,i5")
    match.push("b3xc3^d3")
    assert match.position == "B:Wc3:Ba3,i5"  # though a step back to b3 would take a3


def test_a_tiger_leaps_over_rows_of_odd_length_and_takes_them_whole() -> None:
    men = "b4,d4,a5,b5,e5,a6,b8,c8,d8,c9"
    three = Match("rimau", f"W:Wc3:B{men},c4,c5,c6")
    assert texts(three)["c3xc7"] == ["c4", "c5", "c6"]
    two = Match("rimau", f"W:Wc3:B{men},c4,c5")
    assert not any(step.captured for step in two.legal_steps)


def test_alphabeta_looks_at_few_positions_though_fanorona_has_many_captures() -> None:
    bot = load_bot("alphabeta:1", "fanorona", seed=1)
    match = Match("fanorona")
    match.push("d3xe3^f3")
    assert bot.analyse(match).nodes < 5000
