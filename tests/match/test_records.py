"""Match files: what is written is read back, and what is damaged is refused with a reason."""

import io
import re
from datetime import date

import pytest
from hypothesis import given, settings, strategies as st

from alquerque_env import Match, Record, load_game, read_records
from alquerque_env.errors import RecordError
from alquerque_env.match import records
from tests.match.match_texts import MURRAY_CHAIN, played, record, refused, same, text_of

FIRST_TURNS = "1. c2-c3 c4xc2 2. c1xc3 a3xc1"
# Control characters, surrogates and what begins another line cannot be written in a header.
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


# What is written is read back.


@settings(max_examples=25, deadline=None)
@given(south=st.text(st.characters(exclude_categories=UNPRINTABLE)))
def test_every_name_survives_writing_and_reading(south):
    text = str(Record(Match("fetaix"), south=south, north="random"))

    assert (record(text).south, record(text).north, str(record(text))) == (south, "random", text)


def test_a_record_has_headers_numbered_turns_and_the_result():
    match = played("alquerque_murray", "c2-c3", "c4xc2", "c1xc3", "b4-c4", chain="single")

    text = str(
        Record(
            match,
            south="human",
            north='the "best" \\ bot',
            date=date(2026, 11, 21),
            result="0-1",
            reason="resigned",
            headers={"Event": "At home"},
        )
    )

    assert text == (
        '[Game "alquerque_murray"]\n[Version "1"]\n[Options "chain=single"]\n[South "human"]\n'
        '[North "the \\"best\\" \\\\ bot"]\n[Date "2026.11.21"]\n'
        '[Result "0-1"]\n[Reason "resigned"]\n[Event "At home"]\n'
        "\n1. c2-c3 c4xc2 2. c1xc3 b4-c4 0-1\n"
    )
    assert record(text).north == 'the "best" \\ bot'
    assert record(text).reason == "resigned"


def test_the_example_in_the_documentation_is_a_match_file():
    example = "\n".join(line.strip() for line in records.__doc__.splitlines() if line.startswith("    "))

    assert record(example).match.position == played("alquerque_murray", "c2-c3", "c4xc2", "c1xc3", "b4-c4").position
    assert record(example).reason == "resigned"


@pytest.mark.parametrize(
    ("turns", "position", "end"),
    [
        (["a1xc3"], "W:Wa1:Bb2", '[Result "1-0"]\n[Reason "captured"]\n\n1. a1xc3 1-0\n'),
        (["a1-a2"], "W:WKa1:BKe4:H79", '[Result "1/2-1/2"]\n[Reason "no_progress"]\n\n1. a1-a2 1/2-1/2\n'),
        ([], None, '[Result "*"]\n\n*\n'),
    ],
)
def test_the_result_and_the_reason_are_those_on_the_board(turns, position, end):
    assert str(Record(played("fetaix", *turns, position=position))).endswith(end)


def test_people_end_a_match_and_open_it_again() -> None:
    own = Record(played("fetaix", "c2-c3"), north="Ben")
    own.resign(1)
    assert (own.result, own.reason, own.winner, own.is_over) == ("1-0", "resigned", 0, True)
    for refused_call, problem in (
        (lambda: own.resign(0), "the match is over"),
        (lambda: own.end("1-1"), "the result is '1-1', expected one of"),
        (lambda: own.end("0-1", "captured"), "the reason is 'captured', but the match is not over"),
    ):
        with pytest.raises(RecordError, match=problem):
            refused_call()
    assert own.take_back() == ()
    with pytest.raises(RecordError, match="player is 2, expected 0 for South or 1 for North"):
        own.resign(2)
    own.end("1/2-1/2", "agreed")
    assert (own.winner, own.is_over) == (None, True)
    own.end("*")
    assert (own.result, own.reason, own.is_over) == ("*", None, False)
    assert record(str(own)).match.turns == ("c2-c3",)


def test_a_match_that_goes_on_after_its_end_has_the_result_of_the_board() -> None:
    own = Record(Match("fetaix", "W:Wa1:Bb2"))
    own.resign(0)
    own.match.push("a1xc3")
    assert (own.result, own.reason) == ("1-0", "captured")
    with pytest.raises(RecordError, match="the result is 0-1, but the match ended on the board: 1-0 is expected"):
        own.end("0-1")
    assert [step.text for step in own.take_back()] == ["a1xc3"]
    assert own.result == "*"


@pytest.mark.parametrize(
    ("game", "position", "turns", "players", "taken"),
    [
        ("fetaix", None, ("c2-c3", "c4xc2"), [0], "c2-c3 c4xc2"),
        ("fetaix", None, ("c2-c3", "c4xc2"), [1], "c4xc2"),
        ("fetaix", None, ("c2-c3", "c4xc2"), [0, 1], "c4xc2"),
        ("fetaix", None, ("c2-c3",), [1], None),
        ("fetaix", None, ("c2-c3",), [], None),
        ("fetaix", None, (), [0, 1], None),
        ("alquerque_murray", MURRAY_CHAIN, ("a1xc1",), [0], "a1xc1"),
        ("alquerque_murray", MURRAY_CHAIN, ("a1xc1", "c1xe1"), [0], "a1xc1 c1xe1"),
        ("alquerque_murray", "W:Wc1:Bd1,e5:Cc1", ("c1xe1",), [0], "c1xe1"),
    ],
)
def test_the_last_turn_of_a_player_is_taken_back(game, position, turns, players, taken) -> None:
    own = Record(Match(game, position))
    for turn in turns:
        own.match.push(turn)
    before = own.match.steps
    if taken is None:
        with pytest.raises(RecordError, match="there is nothing to take back"):
            own.take_back(players)
        assert own.match.steps == before
    else:
        assert " ".join(step.text for step in own.take_back(players)) == taken
        assert own.match.num_steps == len(before) - len(taken.split())


def test_the_position_is_written_unless_it_is_the_start():
    start = Match(load_game("fetaix")).position

    assert "Position" not in str(Record(played("fetaix", "c2-c3", position=start)))
    assert '[Position "W:WKa1:BKe4:H3"]' in str(Record(played("fetaix", "a1-a2", position="W:WKa1:BKe4:H3")))


def test_dots_stand_for_the_turn_before_the_first_one():
    text = str(Record(played("fetaix", "e4-e5", "a1-a2", position="B:WKa1:BKe4")))

    assert "\n\n1. ... e4-e5 2. a1-a2 *\n" in text
    assert same(record(text).match, played("fetaix", "e4-e5", "a1-a2", position="B:WKa1:BKe4"))
    assert same(record(text.replace(" ...", "")).match, record(text).match)


def test_where_north_begins_its_turns_come_first():
    text = str(Record(played("fetaix", "c4-c3", who_starts="player_1")))

    assert "\n\n1. c4-c3 *\n" in text
    assert "1. ... e2-e3" in str(Record(played("fetaix", "e2-e3", position="W:We2:Be5,Ka4", who_starts="player_1")))


# Chains.


@pytest.mark.parametrize(
    ("position", "turns", "text"),
    [
        (MURRAY_CHAIN, ["a1xc1", "pass"], "1. a1xc1"),
        (MURRAY_CHAIN, ["a1xc1"], "1. a1xc1..."),
        ("W:Wc1:Bd1,e5:Cc1", ["c1xe1", "e5-e4"], "1. c1xe1 e5-e4"),
        ("W:Wc1:Bd1,e5:Cc1", ["pass", "e5-e4"], "1. pass e5-e4"),
        ("W:Wc1:Bd1,e5:Cc1", [], ""),
    ],
)
def test_chains_that_were_stopped_left_open_or_begun_before_are_told_apart(position, turns, text):
    match = played("alquerque_murray", *turns, position=position)

    assert str(Record(match)).endswith(f"\n\n{text} *\n".replace("\n *", "\n*"))
    assert same(record(str(Record(match))).match, match)


@pytest.mark.parametrize(
    ("turns", "problem"),
    [
        ("1. a1xc1xe1...", "a1xc1xe1... leaves a turn open that has ended; remove the dots"),
        ("1. a1xc1... e5-e4", "a turn follows a1xc1..., but only the last turn of a match may end with dots"),
        ("1. a1xc1 e5-e4", "after a1xc1 only c1xe1 can follow"),
    ],
)
def test_a_chain_ends_where_the_rules_say(turns, problem):
    assert problem in refused(text_of(turns, "alquerque", Position=MURRAY_CHAIN))


# What may stand in a file.


@pytest.mark.parametrize(
    "turns",
    [
        "c2-c3 c4xc2 c1xc3 a3xc1",
        "1.c2-c3 c4xc2 2.c1xc3 a3xc1",
        "1. c2-c3 1... c4xc2 2. c1xc3 2... a3xc1",
        "1. c2-c3\n\n\tc4xc2 2.\n c1xc3 a3xc1\n\n",
        '1. c2-c3 {good} c4xc2{forced}2. c1xc3 { over\ntwo lines; with [a "b"] and 2. } a3xc1',
        "1. c2-c3 ; good { not a comment\nc4xc2 2. c1xc3;\na3xc1 {}",
        "{first} 1. {second} c2-c3 c4xc2 2. c1xc3 a3xc1\n; 1-0\n",
        "1. c2-c3 c4xc2\u00a02. c1xc3 a3xc1",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_turns_may_be_written_in_many_ways(turns, ends):
    text = text_of(turns).replace("\n", ends)
    expected = played("fetaix", "c2-c3", "c4xc2", "c1xc3", "a3xc1")

    for source in (text, "\ufeff" + text, io.StringIO(text, newline=None), io.StringIO(text, newline="")):
        assert same(record(source).match, expected) or (ends == "\r" and isinstance(source, io.StringIO))


COMMENTED = (
    "{a plan} 1. c2-c3 {good (very) - the centre} (1. d2-c3 {worse} 1... d4xd2 (1... b4xd2 {or so}) 2. d1xd3) "
    "1... c4xc2 {forced} {says a bot} 2. c1xc3 {+0.5} *"
)


def test_comments_are_kept_where_they_stand():
    read = record(text_of(COMMENTED.removesuffix(" *")))

    assert [text for _, text in read.comments] == [
        *("a plan", "good (very) - the centre", "worse", "or so", "forced", "says a bot", "+0.5")
    ]
    assert [" ".join(steps) for steps, _ in read.comments] == [
        *("", "c2-c3", "d2-c3", "d2-c3 b4xd2", "c2-c3 c4xc2", "c2-c3 c4xc2", "c2-c3 c4xc2 c1xc3")
    ]
    written = str(read)
    assert " ".join(written.partition("\n\n")[2].split()) == COMMENTED
    assert str(record(written)) == written


def test_a_comment_of_another_form_is_kept_in_braces_on_one_line():
    turns = "; ends {here}\n1. c2-c3 {over\n two\tlines\x1b} c4xc2 (1... {before} c4xc2 2. c1xc3) *"
    text = "{no match} " + text_of(turns.removesuffix(" *")) + "{between}" + text_of("1. c2-c3")

    first, second = (str(each).partition("\n\n")[2] for each in read_records(text))

    assert " ".join(first.split()) == (
        "{ends {here)} 1. c2-c3 {over two lines} 1... c4xc2 {before} (1... c4xc2 2. c1xc3) *"
    )
    assert second == "1. c2-c3 *\n"


def test_comments_that_cannot_be_written_or_belong_to_no_line():
    match = played("fetaix", "c2-c3")

    assert "{" not in str(Record(match, comments=[(("d2-c3",), "another line")]))
    with pytest.raises(RecordError, match="a comment cannot have a }"):
        str(Record(match, comments=[(("c2-c3",), "a } b")]))
    with pytest.raises(RecordError, match="line 2: the comment that begins here is longer than 65536"):
        record('[Game "fetaix"]\n{' + "\n".join(["x" * 60_000] * 2) + "} *")


def test_headers_may_stand_in_one_line_and_among_comments():
    text = '\n{a match}\n[Game "fetaix"][South "a"] ; [North "b"]\n  [ Event  "{x} ; y" ]\n\n1. c2-c3 *'

    assert record(text).headers == {"Event": "{x} ; y"}
    assert record(text).south == "a"
    assert record(text).north == "?"
    assert record(text).date == "????.??.??"
    assert record(text).reason is None


def test_further_headers_are_kept_in_their_order():
    text = text_of("1. c2-c3", Round="3", Event="x", Annotator="y")

    assert list(record(text).headers) == ["Round", "Event", "Annotator"]
    assert re.findall(r"\[(\w+)", str(record(text)))[-3:] == ["Round", "Event", "Annotator"]


def test_as_many_headers_as_can_be_written_can_be_read():
    match = played("fetaix", "a1xc3", position="W:Wa1:Bb2", chain="single")
    others = {f"A{number}": '"' * 10_000 for number in range(100)}

    again = record(str(Record(match, south="a", north="b", headers=others)))

    assert again.headers == others


def test_a_file_of_another_version_of_the_game_is_read_if_it_keeps_the_rules():
    assert record(text_of(FIRST_TURNS, Version="7")).match.steps
    assert refused(text_of("1. c2-c4", Version="7")).endswith("(it is of version 7 of the game, this is version 1)")


# Many matches.


class Endless(io.TextIOBase):
    """A stream of matches without end."""

    def __init__(self) -> None:
        self.lines = 0

    def readline(self, _limit: int = -1) -> str:
        self.lines += 1
        return ('[Game "fetaix"]\n', "1. c2-c3 *\n")[(self.lines - 1) % 2]


def test_no_more_is_read_than_asked_for():
    stream = Endless()
    found = read_records(stream)

    assert [next(found).match.turns for _ in range(3)] == [("c2-c3",)] * 3
    assert stream.lines == 6


def test_the_matches_before_a_damaged_one_are_read():
    found = read_records(text_of("1. c2-c3") + text_of("1. c2-c4"))

    assert next(found).match.turns == ("c2-c3",)
    with pytest.raises(RecordError, match=r"^match 2, line 6, turn 1 of South: c2-c4 is not legal in 'W:W"):
        next(found)


def test_a_text_without_matches_has_none():
    for text in ("", "\n\n", "\ufeff", "; nothing\n{ at all }\n"):
        assert list(read_records(text)) == []
