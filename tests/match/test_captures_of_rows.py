"""Captures of several pieces, and chains that are held to their way: Fanorona and Rimau."""

import pytest

from alquerque_env import Match, load_game
from alquerque_env.bots.load import load_bot
from alquerque_env.errors import AmbiguousStepError, PositionError, RulesError
from tests.own_games import write_rules

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


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("W:Wc3:Be3,i5:Cc3", "field V is missing: a chain may not return where it has been"),
        ("W:Wc3:Be3,i5:Vb3", "field V names points where a chain has been, but that does not matter here"),
        ("W:Wc3:Be3,i5:Cc3:Ve3", "a piece stands on e3, where the chain has been by field V"),
        ("W:Wc3:Be3,i5:Ad3", "field A names the point straight ahead of a chain, but that does not matter here"),
        ("W:Wc3:Be3,i5:Cc3:Vb3:Az9", "unknown point 'z9' in field A"),
        ("W:Wc3:Be3,i5:Cc3:Vb3:Uc3-d3", "field U forbids steps back, but this game allows them"),
        ("W:Wc3:Be3,i5:Cc3:Vb3:Ad3", "the piece on c3 cannot capture again"),
        ("W:Wc3:Be3,i5:Cc3:Vb3", "no chain of captures leads to c3"),
        ("W:Wc3:Be3,i5:Cc3:Vh3:Ac4", "no chain of captures leads to c3"),
    ],
)
def test_a_text_of_a_chain_that_cannot_be_is_refused(text: str, error: str) -> None:
    with pytest.raises(PositionError) as caught:
        Match("fanorona", text)
    assert str(caught.value).startswith(error)


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ({"chain": "single", "chain_visits_once": True}, "rules.chain_visits_once is about the way of a chain"),
        ({"chain_must_turn": True}, "chain_must_turn=true is played only where all captures are by approach"),
        ({"captures": "none", "chain_visits_once": True}, "chain_visits_once is true, but captures is 'none'"),
        ({"captures": "odd_rows", "max_capture": "most_pieces"}, "max_capture='most_pieces' counts captures"),
        ({"captures": "odd_rows", "leap": "pattern"}, "leap='pattern' lets leaps bend"),
        ({"captures": "approach_withdrawal", "undo_scope": "per_coin"}, "undo_scope='per_coin' would also forbid"),
        ({"captures": "rows"}, "rules.captures is 'rows', expected one of: leap, odd_rows, approach_withdrawal"),
    ],
)
def test_rules_that_contradict_captures_of_rows_are_refused_in_one_sentence(rules, error, tmp_path) -> None:
    board = {"rows": [[0, 1, 2]] * 3, "lines": ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]}
    file = write_rules(tmp_path, "mine", board, "a1 b1", "a3 b3", **rules)
    with pytest.raises(RulesError) as caught:
        load_game(file)
    assert error in str(caught.value)
    assert "expected" in str(caught.value)


def test_alphabeta_looks_at_few_positions_though_fanorona_has_many_captures() -> None:
    bot = load_bot("alphabeta:1", "fanorona", seed=1)
    match = Match("fanorona")
    match.push("d3xe3^f3")
    assert bot.analyse(match).nodes < 5000
