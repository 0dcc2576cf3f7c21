"""Answers that have no effect on their board: the text of the rules claims none, or the file is refused."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from alquerque_env import Match, load_game, perft
from alquerque_env.errors import RulesError
from alquerque_env.files.toml_text import format_toml
from alquerque_env.game.game import Game
from alquerque_env.game.rules_text import fixed_rules, open_questions, rule_sentences
from alquerque_env.match.status_text import standing
from tests.option_values import core_games
from tests.own_games import RULES, write_rules

SQUARE = {
    "rows": [[0, 1, 2, 3]] * 4,
    "lines": [
        *("a1 b1 c1 d1", "a2 b2 c2 d2", "a3 b3 c3 d3", "a4 b4 c4 d4"),
        *("a1 a2 a3 a4", "b1 b2 b3 b4", "c1 c2 c3 c4", "d1 d2 d3 d4"),
    ],
}
BOARDS = {
    "no diagonals": SQUARE,
    "two long diagonals": SQUARE | {"lines": [*SQUARE["lines"], "a1 b2 c3 d4", "d1 c2 b3 a4"]},
    "one long diagonal": SQUARE | {"lines": [*SQUARE["lines"], "a1 b2 c3 d4"]},
    "diagonals alone": {
        "rows": [[0, 2, 4], [1, 3], [0, 2, 4], [1, 3], [0, 2, 4]],
        "lines": ["a1 b2 c3 d4 e5", "c1 d2 e3", "e1 d2 c3 b4 a5", "c1 b2 a3", "a3 b4 c5", "c5 d4 e3"],
    },
}


def own_game(folder: Path, board: str = "two long diagonals", **rules: Any) -> Game:
    start = ("a1 c1", "a5 c5") if board == "diagonals alone" else ("a1 b1", "c4 d4")
    answers = {"man_steps": "forward_sideways", "promotion": "last_rank"} | rules
    return load_game(write_rules(folder, "mine", BOARDS[board], *start, **answers))


def words(game: Game) -> str:
    return " ".join(rule_sentences(game))


@pytest.mark.parametrize("name", core_games())
def test_an_option_that_the_text_leaves_out_changes_nothing(name: str) -> None:
    game = load_game(name)
    for question in game.option_table.keys() - set(open_questions(game)):
        for value in game.option_table[question].values:
            if value == "N":
                continue
            other = game.with_options(**{question: value})
            assert rule_sentences(other) == rule_sentences(game)
            assert perft(other, 4) == perft(game, 4)


ANSWERS: dict[str, list[Any]] = {
    "man_capture_dirs": ["all", "forward_sideways", "forward", "first_leap_forward_sideways"],
    "man_steps": ["all", "forward_sideways", "forward"],
    "capture_removal": ["immediate", "end_of_turn"],
    "midchain_promotion": ["only_if_turn_ends_there", "promote_and_stop", "promote_and_continue"],
    "mullah_landing": ["free", "must_continue"],
    "mullah_lines": ["all", "long_diagonals"],
    "mullah_steps": ["any_distance", "one_point"],
    "mullah_captures": ["any_distance", "next_point"],
    "leap": ["straight", "drawn_line"],
    "end_arc": [True, False],
    "last_rank_frozen": [True, False],
    "undo_scope": ["off", "per_coin", "never_revisit"],
}


@pytest.mark.parametrize(
    "board", [pytest.param(board, marks=() if board == "diagonals alone" else pytest.mark.slow) for board in BOARDS]
)
@pytest.mark.parametrize("question", ANSWERS)
def test_games_with_the_same_text_of_moves_have_the_same_matches(board: str, question: str, tmp_path: Path) -> None:
    settings = [
        {},
        {"chain": "single"},
        {"promotion": "none"},
        {"mullah_steps": "one_point", "mullah_captures": "next_point"},
        {"man_steps": "forward", "man_capture_dirs": "forward"},
    ]
    for setting in settings:
        told: dict[str, int] = {}
        for answer in ANSWERS[question]:
            try:
                game = own_game(tmp_path, board, **setting | {question: answer})
            except RulesError:
                continue
            has_kings = game.rules.promotion != "none"
            pieces = "W:Wa1,Kc3:Bb2,d4" if has_kings else "W:Wa1,c3:Bb2,d4"
            count = perft(game, 4) * 10_000 + perft(game, 3, pieces)
            assert told.setdefault(words(game), count) == count, setting


FIRST_LEAP = {"man_capture_dirs": "first_leap_forward_sideways"}
FORWARD = {"man_steps": "forward", "undo_scope": "per_coin", "promotion": "none"}
LONG_DIAGONALS = {"mullah_lines": "long_diagonals"}
FLIES = (
    "A mullah steps along a long diagonal over any number of vacant points",
    "Along any other line, a mullah steps to an adjacent point",
)
# A board, rules, what the text says, and what it does not say because it cannot arise.
SPOKEN_OF: list[tuple[str, dict[str, Any], tuple[str, ...], tuple[str, ...]]] = [
    ("two long diagonals", {"leap": "drawn_line"}, (), ("bend",)),
    ("two long diagonals", {"end_arc": False}, (), ("arc",)),
    ("diagonals alone", {"man_capture_dirs": "forward_sideways"}, ("forward only",), ("sideways",)),
    ("two long diagonals", FIRST_LEAP, ("The first capture of a man in a turn goes forward or sideways",), ()),
    ("two long diagonals", {"chain": "single", **FIRST_LEAP}, (), ("first capture",)),
    (
        "two long diagonals",
        {"chain": "single", "capture_removal": "end_of_turn", "midchain_promotion": "promote_and_stop"},
        ("A captured piece leaves the board at once.",),
        ("when the turn ends", "again"),
    ),
    ("two long diagonals", FORWARD, (), ("its last step",)),
    ("two long diagonals", FORWARD | {"man_steps": "all"}, ("its last step",), ()),
    ("two long diagonals", {"promotion": "none", "last_rank_frozen": True}, ("stays there",), ()),
    ("two long diagonals", {"last_rank_frozen": True}, (), ("stays there",)),
    (
        "two long diagonals",
        {"promotion": "none", "man_steps": "forward", "last_rank_frozen": True},
        (),
        ("stays there",),
    ),
    ("two long diagonals", LONG_DIAGONALS, FLIES, ()),
    ("one long diagonal", LONG_DIAGONALS, FLIES, ()),
    ("no diagonals", LONG_DIAGONALS | {"promotion": "none"}, (), ("diagonal",)),
    (
        "no diagonals",
        LONG_DIAGONALS | {"mullah_steps": "one_point", "mullah_captures": "next_point"},
        (),
        ("diagonal",),
    ),
]


@pytest.mark.parametrize(("board", "rules", "said", "unsaid"), SPOKEN_OF, ids=str)
def test_the_text_speaks_of_what_can_arise_alone(
    board: str, rules: dict[str, Any], said: tuple[str, ...], unsaid: tuple[str, ...], tmp_path: Path
) -> None:
    told = words(own_game(tmp_path, board, **rules))
    assert all(part in told for part in said), told
    assert not any(part in told for part in unsaid), told


def test_shipped_games_speak_of_bends_where_they_have_them_and_of_further_captures_in_chains_alone() -> None:
    assert "bends" in words(load_game("awithlaknannai_mosona", leap="drawn_line"))
    assert "further captures" not in words(load_game("fetaix", chain="single", **FIRST_LEAP))


def test_long_diagonals_on_a_board_without_any_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"mine\.toml: mullah_lines='long_diagonals' lets promoted pieces fly nowhere"):
        own_game(tmp_path, "no diagonals", mullah_lines="long_diagonals")
    file = tmp_path / "soldiers.toml"
    rules = RULES | {"man_steps": "forward_sideways", "promotion": "last_rank", "mullah_lines": "long_diagonals"}
    head = {"title": "S", "version": 1, "sources": ["a test"], "extends": "sixteen_soldiers"}
    file.write_text(format_toml(head | {"rules": rules, "options": {}}), encoding="utf-8")
    with pytest.raises(RulesError, match="the longest lines of the board are no diagonals"):
        load_game(file)


def test_of_several_boards_one_may_have_no_long_diagonals_and_there_a_promoted_piece_moves_one_point(
    tmp_path: Path,
) -> None:
    options = {
        "board": {"default": "crossed", "values": ["crossed", "plain"], "source": "a test"},
        "mullah_lines": {"default": "all", "values": ["all", "long_diagonals"], "source": "a test"},
    }
    boards = {"plain": BOARDS["no diagonals"], "crossed": BOARDS["two long diagonals"]}
    boards = {name: {"title": name, **board} for name, board in boards.items()}
    file = write_rules(
        *(tmp_path, "boards", {}, "a1 b1", "c4 d4", {"board": boards, "options": options}),
        man_steps="forward_sideways",
        promotion="last_rank",
    )
    assert "along a long diagonal" in words(load_game(file, mullah_lines="long_diagonals"))
    told = words(load_game(file, mullah_lines="long_diagonals", board="plain"))
    assert "A mullah steps along a line to an adjacent vacant point, in any direction." in told
    assert "diagonal" not in told
    assert "any number of vacant points" not in told


def test_arcs_are_spoken_of_only_where_straight_leaps_can_follow_them() -> None:
    for board, leap in product(["culin", "murray", "zigzag"], ["straight", "drawn_line", "pattern"]):
        game = load_game("awithlaknannai_mosona", board=board, leap=leap)
        assert ("the arc round" in words(game)) == (board == "culin" and leap == "straight")


def test_a_promotion_is_no_progress_where_there_is_none(tmp_path: Path) -> None:
    game = own_game(tmp_path, promotion="none", progress="capture_or_promotion")
    told = words(game)
    assert "without a capture, counting" in told
    assert "or a promotion" not in f"{told} {[rule.sentence for rule in fixed_rules(game)]} {standing(Match(game))}"


@pytest.mark.parametrize("scope", ["per_coin", "per_player_last_move", "never_revisit"])
def test_a_promoted_piece_may_take_back_its_steps_and_the_text_says_so(scope: str, tmp_path: Path) -> None:
    game = own_game(tmp_path, undo_scope=scope)
    assert "A mullah may take back every step." in words(game)
    match = Match(game, "W:WKa1,b1:Bd3,Kc4")
    for step in ("a1-a2", "c4-c3"):
        match.push(step)
    assert "a2-a1" in [step.text for step in match.legal_steps]
    assert "A mullah" not in words(own_game(tmp_path, undo_scope=scope, promotion="none"))


def test_the_options_of_describe_say_which_of_them_do_not_arise() -> None:
    from click.testing import CliRunner

    from alquerque_env.cli.main import main

    shown = " ".join(CliRunner().invoke(main, ["describe", "awithlaknannai_mosona"]).output.split())
    assert "a line for straight leaps? This does not arise on this board under the other answers." in shown
