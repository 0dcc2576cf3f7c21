"""Texts of steps, turns and positions on boards whose points have other names than a letter and a digit."""

import pytest

from alquerque_env import Match
from alquerque_env.cli.terminal_match.typed_input import piece_typed, play_typed
from alquerque_env.errors import AlquerqueError, IllegalStepError, NotationError
from alquerque_env.game.board_file import parse_board
from alquerque_env.game.game import Game
from alquerque_env.game.step import PASS, join_turn, split_turn
from tests.labelled_games import CROSSING, LABELLED


# A line with an x before, behind and within its labels, and another that crosses it.
@pytest.mark.parametrize("name", LABELLED)
def test_the_text_of_every_action_is_another_and_is_read_back(name: str) -> None:
    game = LABELLED[name]
    steps = [step for step in game.steps[0] if step is not None]
    # Without its victim the text may belong to several captures.
    assert len({(step.text, step.captured) for step in steps}) == len(steps)
    for step in steps:
        ((text, over),) = split_turn(step.text, game.board)
        assert text + (f"^{over}" if over else "") == step.text
        origin, target = (game.board.labels[point] for point in (step.origin, step.target))
        assert text == f"{origin}{'x' if step.captured else '-'}{target}"


def test_an_x_in_a_label_is_not_a_capture() -> None:
    board = parse_board(CROSSING, "crossing")

    assert split_turn("x1-xx1", board) == [("x1-xx1", None)]
    assert split_turn("x1xx11", board) == [("x1xx11", None)]
    assert split_turn("x1xx11x11xxax3", board) == [("x1xx11", None), ("x11x11", None), ("11xxax3", None)]
    assert split_turn("2x11^21xx22^22", board) == [("2x11", "21"), ("11xx22", "22")]
    assert join_turn(["x1xx11", "x11x11", "11xxax3", PASS]) == "x1xx11x11xxax3"
    assert join_turn(["2x11^21", "11xx22^22"]) == "2x11^21xx22^22"


@pytest.mark.parametrize("text", ["", "x", "1x", "x1", "1--11", "1x11-2", "x1x", "1X11", "1-11x2", "x1^xx1", "11x²"])
def test_what_is_no_turn_is_refused_with_an_example_of_the_board(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected something like x1-xx1, x1xx11, x1xx11\^xx1 or x1xx11x11$"):
        split_turn(text, parse_board(CROSSING, "crossing"))


def test_unknown_points_are_named_whole() -> None:
    with pytest.raises(NotationError, match="unknown point 'x3' in '1xx3'"):
        split_turn("1xx3", parse_board(CROSSING, "crossing"))


# What is typed.


def typed(game: Game, position: str, text: str) -> str:
    match = Match(game, position)
    play_typed(match, text)
    return match.steps[-1].text


def test_a_number_is_that_of_a_step_or_else_a_point() -> None:
    game = LABELLED["numbers"]
    match = Match(game, "W:W22,32:B1,2")

    assert typed(game, "W:W22,32:B1,2", "22 18") == "22-18"
    assert typed(game, "W:W22,32:B18,2", "22 : 15") == "22x15"
    assert typed(game, "W:W22,32:B1,2", "3") == match.legal_steps[2].text
    assert piece_typed(match, "22") == game.board.index["22"]
    assert piece_typed(match, "1") is None
    with pytest.raises(AlquerqueError, match="nothing on 30 can move now"):
        piece_typed(match, "30")
    for text in ("40", "2218"):
        with pytest.raises(AlquerqueError, match=f"there is no step {text}; the steps are 1 to 6"):
            play_typed(match, text)


def test_labels_with_an_x_may_be_typed_without_marks() -> None:
    game = LABELLED["x"]

    assert typed(game, "W:Wx1:Ba2", "x1 z1") == "x1-z1"
    assert typed(game, "W:Wx1:Ba2", "x1x z1") == "x1-z1"
    assert typed(game, "W:Wz1:Bx1,a2", "z1 v1") == "z1xv1"
    assert typed(game, "W:Wt1:Bv1,a2", "t1x1") == "t1xx1"
    assert typed(game, "W:Wt1:Bv1,a2", "t1xx1") == "t1xx1"
    with pytest.raises(IllegalStepError):
        Match(game, "W:Wt1:Bv1,a2").push("t1-v1")
