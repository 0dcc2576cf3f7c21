"""Matches in the terminal, scripted through the command."""

import re
from types import SimpleNamespace

import pytest

from alquerque_env import Match, load_game
from alquerque_env.cli.terminal_match import session
from alquerque_env.errors import BotError
from alquerque_env.match.status_text import outcome_sentence
from tests.cli.terminal_play import MURRAY_CHAIN, play, position_in, shown
from tests.option_values import few_games
from tests.sets import first_by_default

LISTED = re.compile(r"(?<![\w-])(\d+) ([a-z]+\d+[-x][a-z0-9^]+|pass)")
TWO_VICTIMS = "W:Wf1,a2:Be2,g2,n3"


@first_by_default
@pytest.mark.parametrize("name", few_games())
def test_a_whole_match_can_be_played_from_a_script(name: str) -> None:
    arguments = ["--opponent", "random", "--seed", "7", "--option", *limit_of(name)]

    check_whole_match(name, shown(name, *arguments, typed="|".join(300 * ["1"])))


def check_whole_match(name: str, text: str) -> None:
    """Checks the result that is printed against a replay of the turns that are printed."""
    options = dict([limit_of(name)[0].split("=")])
    match = Match(load_game(name, **options))
    turns = re.sub(r"\d+\. ", "", re.search(r"^ *1\. (.*?)^Position: ", text, re.MULTILINE | re.DOTALL)[1]).split()
    for turn in turns:
        match.push(turn)
        if match.turn_goes_on:
            match.push("pass")
    assert match.is_over
    assert match.position == position_in(text)
    assert outcome_sentence(match, match.outcome) in text
    assert match.outcome.winner is None or ("You win!" in text) == (match.outcome.winner == 0)


def limit_of(name: str) -> list[str]:
    return ["no_progress_limit=30"] if name != "alquerque" else ["undo_scope=never_revisit"]


def test_the_end_of_the_input_ends_a_match_with_the_command_that_resumes_it() -> None:
    output = shown("fetaix", "--option", "chain=optional", "--position", "W:Wa1:Be5", typed="")

    assert position_in(output) == "W:Wa1:Be5"
    assert output.endswith(
        "Resume with: alquerque play fetaix --option chain=optional --position W:Wa1:Be5 --opponent random --seat 0\n"
    )


def test_the_legal_steps_are_listed_with_numbers() -> None:
    output = shown("fetaix")

    assert LISTED.findall(output) == [("1", "b2-c3"), ("2", "c2-c3"), ("3", "d2-c3"), ("4", "d3-c3")]


@pytest.mark.parametrize("typed", ["c2-c3", "2", "C2-C3", "c2 - c3", "c2 c3", "c2c3", "  2  "])
def test_a_step_can_be_typed_in_many_ways(typed: str) -> None:
    assert "1. c2-c3 c4xc2" in shown("fetaix", typed=typed)


def test_a_chain_is_played_step_by_step_with_its_piece_marked_or_at_once() -> None:
    output = shown("alquerque", "--position", "W:Wa1:Bb1,d1", typed="a1xc1|c1xe1")
    at_once = shown("alquerque", "--position", "W:Wa1:Bb1,d1", typed="a1xc1xe1")

    assert "[○]" in output
    assert "[ ] in a chain" in output
    assert "The piece on c1 must go on capturing." in output
    for played in (output, at_once):
        assert "You win!\nSouth wins: North has no pieces left.\n  1. a1xc1xe1\n" in played


def test_an_optional_chain_can_be_stopped_by_an_entry_of_the_list() -> None:
    for typed in ("a1xc1|pass", "a1xc1|2"):
        output = shown("alquerque_murray", "--position", MURRAY_CHAIN, typed=typed)
        assert ("2", "pass") in LISTED.findall(output)
        assert "1. a1xc1 d1xb1" in output


def test_a_leap_with_two_victims_must_say_which() -> None:
    output = shown("awithlaknannai_mosona", "--position", TWO_VICTIMS, typed="f1xf3|f1xf3^e2")

    assert "'f1xf3' is ambiguous; type f1xf3^e2 or f1xf3^g2" in output
    assert position_in(output) == "W:Wa2,f3:Bg2,n3:Cf3"


def test_a_point_shows_where_its_piece_can_go() -> None:
    board = shown("fetaix", "--position", "W:WKa1,c2:Be5", "--ascii", typed="a1").split("South> a1")[1]

    assert board.count("*") >= 10
    assert board.count("<w>") == 0
    assert board.count("<W>") == 1


def test_the_board_is_turned_for_north() -> None:
    output = shown("fetaix", "--seat", "North")
    assert "South (random) plays" in output
    lines = output.splitlines()

    rows = [line[0] for line in lines if re.match(r"[1-5]  ", line)]
    assert rows == ["1", "2", "3", "4", "5"] * 2
    assert any(re.fullmatch(r"   e   d   c   b   a", line) for line in lines)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("c4-c3", "c4-c3 is not legal: b2-c3, c2-c3, d2-c3 and d3-c3 are"),
        ("c2", "South to move"),
        ("a1", "nothing on a1 can move now"),
        ("z9", "cannot read 'z9'; type a step such as b2-c3, or help"),
        ("5", "there is no step 5; the steps are 1 to 4"),
        ("-1", "cannot read '-1'"),
        ("9" * 5000, "there is no step 999"),
        ("²", "cannot read '²'"),
        ("udno", "cannot read 'udno'; did you mean undo?"),
        ("h", "cannot read 'h'; did you mean help or hint?"),
        ("\x00", "cannot read"),
        ("undo", "there is nothing to take back"),
        ("help", "go back to your previous turn"),
        ("rules", "A man captures forward or sideways but never backward."),
        ("position", Match(load_game("fetaix")).position),
        ("link", "#fetaix;"),
        ("board", "South to move"),
        ("report", "the match is not over; report judges its turns then"),
        ("save", "save needs the name of a file, such as save match.pdn"),
        ("save no/such/folder/x", "cannot write 'no/such/folder/x': No such file or directory; choose another place"),
        ("save a\0b", "cannot write"),
        ("load nothing.pdn", "cannot read 'nothing.pdn': No such file or directory"),
        ("load a\0b", "cannot read"),
        ("view 3", "view needs a number of turns from 0 to 0, found '3'"),
        ("view one", "view needs a number of turns from 0 to 0, found 'one'"),
        ("turns", "No turn has been played."),
        ("switch sides", "cannot read 'sides' after switch; type switch alone"),
    ],
)
def test_input_is_answered_and_the_match_continues(typed: str, answer: str) -> None:
    output = shown("fetaix", typed=f"{typed}|2")

    assert answer in " ".join(output.split())
    assert "1. c2-c3 c4xc2" in output


@pytest.mark.parametrize(
    ("game", "position", "typed", "answer"),
    [
        ("alquerque", "W:Wa1,e1:Bb1,e5", "e1-e2", "e1-e2 is not legal: a capture is compulsory; a1xc1 is"),
        ("alquerque", "W:Wa1:Bb1,d1,e5", "a1xc1xc3", "after a1xc1, c1xe1 is"),
        ("alquerque", "W:Wa1:Bb1,e5", "a1xc1xe1", "the turn ends after a1xc1"),
        ("awithlaknannai_mosona", "W:Wf1,a2:Be2,g2,n3", "f1xf3xh3", "'f1xf3' is ambiguous"),
    ],
)
def test_an_illegal_turn_is_explained(game: str, position: str, typed: str, answer: str) -> None:
    output = shown(game, "--position", position, typed=typed)

    assert answer in output
    assert position_in(output) == Match(load_game(game), position).position


def test_hint_names_a_legal_whole_turn_and_plays_nothing() -> None:
    output = shown("alquerque_murray", "--position", MURRAY_CHAIN, typed="hint|position")

    assert "would play a1xc1xe1\n" in output
    assert position_in(output) == MURRAY_CHAIN


def test_a_hint_says_what_is_known_of_each_step() -> None:
    solved = shown("felli_simplified", typed="hint")
    only = shown("felli_simplified", "--position", "B:Wa5:Be5", "--seat", "1", typed="hint")

    assert "perfect would play c2-c3\nc2-c3: wins in 31; b2-c3: wins in 37; d2-c3: wins in 37.\n" in solved
    assert "e5-d4: draw; e5-c5: loses in 2. Only e5-d4 keeps the value of the position.\n" in only


@pytest.mark.parametrize(
    ("spec", "is_asked"),
    [("fetaix-strong:400", True), ("runs/mine-1/final", True), ("perfect", True)]
    + [(spec, False) for spec in ("human", "random", "mcts:5", "alphabeta:8", "ugi:./engine", "bot.py")],
)
def test_a_hint_is_asked_of_opponents_that_may_be_stronger_than_a_search(spec: str, is_asked: bool) -> None:
    assert session.may_beat_a_search(spec) is is_asked


def test_the_turn_of_a_bot_is_shown_with_what_it_rests_on() -> None:
    output = shown("felli_simplified", "--position", "B:Wb2,d2,c3:Be5", "--opponent", "perfect", typed="quit")

    assert re.search(r"^North \(perfect\) plays e5-[cd]\d \(exact: loses in 8 turns\)$", output, re.MULTILINE)


def test_a_bot_that_fails_loses_and_the_match_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_match: Match) -> None:
        raise BotError("the bot has\nno idea")

    monkeypatch.setattr(session, "load_bot", lambda *_, **__: SimpleNamespace(name="lost", choose=fail))

    result = play("fetaix", typed="c2-c3")

    assert result.exit_code == 0
    assert "You win!\nSouth wins: North failed: the bot has no idea." in result.stdout
    assert "Resume with: alquerque play fetaix --load" in result.stdout
    assert Match(load_game("fetaix"), position_in(result.stdout)).player == 1


def test_earlier_positions_are_drawn_and_the_match_goes_on() -> None:
    output = shown("fetaix", typed="c2-c3|view 2|view 1|view 0")
    start, after, now = (each.partition("South> ")[0] for each in output.split("South> view ")[1:])
    assert "( )" not in start
    assert [line for line in after.splitlines() if line.startswith("3")] == ["3  ●───●──(○)──○───○"]
    assert "× captured" in now
    assert position_in(output) == position_in(shown("fetaix", typed="c2-c3"))


@pytest.mark.parametrize("columns", [60, 80])
def test_help_and_boards_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in ("fetaix", "aadu_puli_attam"):
        lines = shown(name, "--opponent", "human", typed="help").partition("South: ")[2].splitlines()
        assert max(map(len, lines[1:-3])) <= columns


def test_examples_use_points_of_the_board():
    output = shown("awithlaknannai_mosona", typed="help")

    for words in ("Type a step such as h1-i2, its number", "The first step goes to i2.", "a2-c2, a2xe2 ", "a2xe2xi2 "):
        assert words in output
