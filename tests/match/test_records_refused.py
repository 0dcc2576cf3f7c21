"""Match files that are wrong or damaged: refused with a reason, and with nothing but a `RecordError`."""

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from alquerque_env import Match, Record, games, load_game, read_records
from alquerque_env.errors import RecordError
from alquerque_env.match import records
from tests.chosen_steps import play_on
from tests.match.match_texts import played, record, refused, text_of

# What is wrong is refused.


@pytest.mark.parametrize(
    ("turns", "problem"),
    [
        ("1. c2-c4", "turn 1 of South: c2-c4 is not legal in 'START'; legal: b2-c3, c2-c3, d2-c3, d3-c3"),
        ("1. c2-c3 c4-c3", "c4-c3 is not legal in 'AFTER'; legal: c4xc2"),
        ("1. c2-c3 c4xc2 2. c4-c3", "turn 2 of South"),
        ("1. c2-c3 hello", "cannot read 'hello' as a step or turn"),
        ("1. c2-c3 c4xc2#", "cannot read 'c4xc2#'"),
        ("1. c2-c3...", "c2-c3... leaves a turn open that has ended"),
        ("1. c2-c3 ....", "cannot read '.'"),
        ("2. c2-c3", "it is numbered 2, expected 1"),
        ("1. c2-c3 2. c4xc2", "turn 1 of North: it is numbered 2, expected 1"),
        ("1... c2-c3", "dots stand for a turn of the player who is to move"),
        ("1. ... c4-c3", "dots stand for a turn of the player who is to move"),
        ("1. c2-c3 ...", "dots for a missing turn may only come first; expected a turn"),
        ("1. c2-c3 c4xc2 2.", "number 2 has no turn; remove it, or add the turn"),
        ("1. 2. c2-c3", "number 1 has no turn"),
        ('1. c2-c3 [North "x"]', "header North follows turns; expected the result of the match"),
        ("1. c2-c3 [", "cannot read '[ *' as a header"),
        ("1. c2-c3 }", "unexpected '}'; remove it or put it into a comment"),
        ("1. c2-c3 { c4xc2", "line 3: the comment that begins here has no end, expected a '}'"),
        (f"1. {'c2x' * 400}c2", "as a turn: it is too long"),
    ],
)
def test_a_wrong_turn_is_refused_with_its_line(turns, problem):
    start = Match("fetaix").position
    after = played("fetaix", "c2-c3").position
    message = refused(text_of(turns))

    assert problem.replace("START", start).replace("AFTER", after) in message
    assert re.match(r"match 1, line 3|line 3", message)


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"Game": "fetaixx"}, "no game 'fetaixx'; did you mean 'fetaix'?"),
        ({"Version": "one"}, "header Version is 'one', expected a number"),
        ({"Version": "²"}, "header Version"),
        ({"Options": "chain=often"}, "chain cannot be 'often'"),
        ({"Options": "chain"}, "header Options has no value for an option: 'chain', expected name=value"),
        ({"Options": "chain=single chain=single"}, "header Options repeats an option"),
        ({"Position": "W:Wa1"}, "expected mover:W<pieces>:B<pieces>"),
        ({"Date": "21.11.2026"}, "the date is '21.11.2026', expected a date such as 2026.11.21"),
        ({"Date": "2026.02.30"}, "the date is '2026.02.30'"),
        ({"Result": "1+ - 1-"}, "header Result is '1+ - 1-', expected one of 1-0, 0-1, 1/2-1/2, *, 2-0, 0-2, 1-1, 0-0"),
        ({"Reason": "captured"}, "the reason is 'captured', but the match is not over in 'W:W"),
        ({"Bad-Name": "x"}, "'Bad-Name' cannot name a header"),
        ({"9th": "x"}, "'9th' cannot name a header"),
        ({"A" * 101: "x"}, "cannot name a header"),
        ({"Site": "C:\\games"}, "header Site has a backslash before 'g'"),
        ({"Site": "\x1b[2J"}, "header Site holds the character '\\x1b', expected one line of printable text"),
        ({"Site": "a\u2028b"}, "header Site holds the character '\\u2028'"),
        ({"Site": "x" * 10_001}, "header Site has 10001 characters, expected at most 10000"),
        ({f"A{number}": "x" for number in range(101)}, "there are more than 100 further headers"),
        # Headers of PDN, and those that contradict each other or are spelled otherwise.
        (
            {"position": "W:Wa1:Bb2"},
            "header position is spelled Position; write [Position ...], or choose another name",
        ),
        ({"options": "chain=optional"}, "header options is spelled Options"),
        ({"GAMETYPE": "20"}, "header GAMETYPE is spelled GameType"),
        ({"GameType": "20"}, "header Game is 'fetaix', but GameType 20 is draughts_international"),
        ({"White": "x", "South": "y"}, "headers South and White say the same and differ; remove one"),
        ({"FEN": "W:Wa1:Bb2", "Position": "W:Wa2:Bb2"}, "headers Position and FEN say the same and differ"),
        ({"SetUp": "1"}, "header SetUp is 1, but FEN is missing"),
        ({"SetUp": "0", "FEN": "W:Wa1:Bb2"}, "header SetUp is 0, but FEN is given"),
        ({"SetUp": "yes"}, "header SetUp is 'yes', expected 1 for a match that begins with FEN, or 0"),
        ({"FEN": "?:Wa1:Bb2"}, "the mover is '?', expected W or B"),
    ],
)
def test_a_wrong_header_is_refused_by_name(headers, problem):
    message = refused(text_of("", **headers))

    assert problem in message
    assert re.match(r"(match 1, )?line \d+: ", message)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1. c2-c3 *", 'match 1, line 1: expected the headers of a match, beginning with one such as [Game "'),
        ('[Game "fetaix"]', "the match has no end; expected its result, one of 1-0, 0-1, 1/2-1/2, *"),
        ('[Game "fetaix"]\n1. c2-c3', "the match has no end"),
        ('[Game "fetaix"]\n[Game "fetaix"]\n*', "line 2: header Game is given twice"),
        ('[Game "fetaix"]\n[South "x]\n*', "line 2: cannot read '[South \"x]' as a header"),
        ("[Game fetaix]\n*", "line 1: cannot read '[Game fetaix]' as a header"),
        ('[Game "fetaix"]\n1. c2-c3 * *', "match 2, line 2: expected the headers"),
        ("{" * 70_000, "match 1, line 1: the comment that begins here is longer than 65536 characters"),
        ('[GameType "25,W,8,8,A0,0"]\n*', "Russian draughts, GameType 25, is not among the games; expected 20"),
        ('[GameType "99"]\n*', "header GameType is '99', expected 20, international draughts or 21, English draughts"),
        ('[Event "x"]\n1. e4 e5 *', 'header Game is missing; expected one such as [Game "fetaix"], or [GameType "20"]'),
        ('[GameType "20"]\n[Result "2-0"]\n0-2', "header Result is '2-0', but the match ends with 0-2"),
        ('[GameType "20"]\n1. a3-b4 *', "unknown point 'a3'"),
    ],
)
def test_other_text_is_refused(text, problem):
    assert problem in refused(text)


@pytest.mark.parametrize(
    ("turns", "result", "headers", "problem"),
    [
        ("1. a1xc3", "0-1", {}, "the result is 0-1, but the match ended on the board: 1-0 is expected"),
        ("1. a1xc3", "*", {}, "the result is *, but the match ended on the board: 1-0 is expected"),
        ("1. a1xc3", "1-0", {"Result": "0-1"}, "header Result is '0-1', but the match ends with 1-0"),
        (
            "1. a1xc3",
            "1-0",
            {"Reason": "resigned"},
            "the reason is 'resigned', but the match ended on the board: 'capt",
        ),
        ("1. a1xc3", "1-0", {"Reason": "blocked"}, "the reason is 'blocked', but the match ended on the board"),
        ("1. a1xc3 c3-c4", "1-0", {}, "c3-c4 is not legal in 'B:Wc3:B': the match is over"),
    ],
)
def test_what_contradicts_the_board_is_refused(turns, result, headers, problem):
    assert problem in refused(text_of(turns, result=result, Position="W:Wa1:Bb2", **headers))


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
@pytest.mark.parametrize("reason", [None, "resigned", "agreed", "time"])
def test_any_result_may_end_a_match_that_is_not_over(result, reason):
    text = str(Record(played("fetaix", "c2-c3"), result=result, reason=reason))

    assert (record(text).result, record(text).reason) == (result, reason)


def test_the_length_of_a_match_is_limited(monkeypatch):
    monkeypatch.setattr(records.reader, "MAX_TURNS", 3)
    monkeypatch.setattr(records.record, "MAX_TURNS", 3)

    assert "there are more than 3 turns" in refused(text_of("1. c2-c3 c4xc2 2. c1xc3 a3xc1 3. c3-c4"))
    with pytest.raises(RecordError, match="the match has 4 turns, but a record holds at most 3"):
        str(Record(played("fetaix", "c2-c3", "c4xc2", "c1xc3", "a3xc1")))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"result": "1-0 "}, "the result is '1-0 ', expected one of"),
        ({"reason": "blocked"}, "the reason is 'blocked', but the match is not over"),
        ({"south": "a\nb"}, r"header South holds the character '\\n'"),
        ({"north": "\udce9"}, r"header North holds the character '\\udce9'"),
        ({"date": "today"}, "the date is 'today'"),
        ({"headers": {"South": "x"}}, "header South cannot be among the headers"),
        ({"headers": {"two words": "x"}}, "'two words' cannot name a header"),
        ({"headers": {f"A{number}": "x" for number in range(101)}}, "there are 101 further headers"),
    ],
)
def test_arguments_that_could_not_be_read_back_are_refused(arguments, problem):
    with pytest.raises(RecordError, match=problem):
        str(Record(Match(load_game("fetaix")), **arguments))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 40))
def test_a_line_that_is_missing_is_noticed(number):
    lines = str(Record(play_on(Match(load_game("alquerque_alfonso_x")), list(range(0, 900, 7))))).splitlines()
    turns = lines.index("") + 1
    assume(turns + number < len(lines))

    del lines[turns + number - 1]

    assert "turn" in refused("\n".join(lines))


def test_a_message_shows_the_beginning_of_a_long_name() -> None:
    with pytest.raises(RecordError) as caught:
        list(read_records(f'[Game "{"9" * 9_000}"]\n\n1. c2-c3 *\n'))
    message = str(caught.value)
    assert "no game '999" in message
    assert "...'" in message
    assert len(message) < 400 + len(", ".join(games()))
