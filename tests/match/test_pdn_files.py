"""Files of other programs for draughts: what they say is what is read, and the rest is refused match by match."""

from pathlib import Path

import pytest

from alquerque_env import Match, Record, read_records
from alquerque_env.errors import RecordError
from alquerque_env.match.records import count_records, load_record, load_records, record_files
from tests.match.match_texts import record, text_of

FILES = Path(__file__).parents[1] / "cases" / "pdn"
INTERNATIONAL, ENGLISH = '[GameType "20"]\n', '[GameType "21"]\n'


def read(name: str) -> tuple[list[str], list[str]]:
    """The matches of a file, each as its names, result and last position, and what was told."""
    told: list[str] = []
    found = [
        f"{each.south} - {each.north} {each.result} {each.match.position}"
        for each in load_records(FILES / name, tell=told.append)
    ]
    return found, told


def test_the_file_of_a_draughts_site_is_read() -> None:
    found, told = read("site.pdn")

    assert found == [
        "Vlinder64 - molenaar 1-0 B:W27,28,30,36,40,41,42,44,45,46,47,48,49,50:B1,2,3,4,5,6,8,10,11,12,14,15,19,20",
        "? - ? 1-0 B:WK3:B",
        "molenaar - Vlinder64 1/2-1/2 W:W26,32,34,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50"
        ":B1,2,3,4,5,6,7,8,9,10,11,12,13,15,16,17,18,25",
        "molenaar - Vlinder64 * B:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50"
        ":B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
    ]
    assert told == [
        "match 3, line 30: Russian draughts, GameType 25, is not among the games; expected 20, international draughts "
        "or 21, English draughts"
    ]
    first, _, _, last = load_records(FILES / "site.pdn", tell=str)
    assert [comment.text for comment in first.comments][:2] == [
        "[%clock w0:10:00 B0:10:00]",
        "[%clock W0:10:00 b0:09:58]",
    ]
    assert (first.date, first.headers["WhiteElo"]) == ("2026.05.03", "1702")
    assert last.reason == "lost by both sides"


def test_the_file_of_a_federation_is_read_as_latin_1_and_a_sentence_says_so() -> None:
    found, told = read("federation.pdn")

    assert found == [
        "Brandsma, Andr\u00e9 - H\u00f6lscher, J\u00fcrgen 0-1 W:W15,26,28,30,31,33,34,35,36,41,43,44,45,46,47,48,49,50"
        ":B1,2,3,4,5,7,9,10,11,12,14,16,17,19,21,22,25",
        "de Wit, Ruud - ? 1/2-1/2 W:W27,29,31,32,33,35,36,37,38,39,40,42,43,44,45,46,47,48,49,50"
        ":B1,2,3,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,25",
        "Post, Cor - Loo, Dirk van 1-0 B:W28,31,32,33,34,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50"
        ":B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,22",
    ]
    assert told[0].endswith("federation.pdn' is not in UTF-8 and is read as Latin-1: names may show wrong letters")
    assert [each.partition(" in ")[0] for each in told[1:]] == ["match 3, line 37, turn 2 of North: 9-13 is not legal"]
    with pytest.warns(UserWarning, match="is read as Latin-1"):
        assert load_record(FILES / "federation.pdn").headers["DateText"] == "12 mei 2019"


def test_the_file_of_a_checkers_program_is_read_with_black_as_the_side_that_begins() -> None:
    found, told = read("checkers.pdn")

    assert found == [
        "Program 3.1 - Marlowe, T 0-1 B:W17,21,22,24,27,28,29,31,32:B1,2,3,4,5,9,11,12,16",
        "to play and win -  1-0 W:WK2,14:BK16:H1",
        "Marlowe, T - Program 3.1 * W:W19,21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,9,10,11,12,15",
    ]
    assert told == []


@pytest.mark.parametrize("name", ["site.pdn", "federation.pdn", "checkers.pdn"])
def test_what_was_read_is_written_in_the_words_of_this_package_and_read_again(name: str) -> None:
    for each in load_records(FILES / name, tell=str):
        again = record(str(each))
        assert (again.south, again.north, again.result) == (each.south, each.north, each.result)
        assert (again.match.steps, again.match.position) == (each.match.steps, each.match.position)
        assert not {"White", "Black", "FEN", "SetUp", "GameType"} & again.headers.keys()


@pytest.mark.parametrize(
    ("headers", "turns", "position"),
    [  # the first captures of two openings, counted on a board by hand
        (
            INTERNATIONAL,
            "1. 32-28 19-23 2. 28x19 14x23 *",
            "W:W31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50"
            ":B1,2,3,4,5,6,7,8,9,10,11,12,13,15,16,17,18,20,23",
        ),
        (ENGLISH, "1. 11-15 22-18 2. 15x22 25x18 *", "B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12"),
        (INTERNATIONAL + '[FEN "W:W31-50:B1-20"]\n', "*", None),
        ('[Game "draughts_international"][SetUp "1"][FEN "W:WK4:B13,20,32,37"]', "*", "W:WK4:B13,20,32,37"),
        (ENGLISH + '[FEN "B:WK18,24:B12,K30."]', "3. 12-16 24-20 4. 16-19 *", "W:WK18,20:B19,K30"),
        ('[Game "fetaix"][FEN "W:Wb2,Kc1:BKd5"]', "*", "W:WKc1,b2:BKd5"),
    ],
)
def test_squares_pieces_and_moves_of_pdn_are_those_of_the_board(headers: str, turns: str, position: str | None) -> None:
    match = record(headers + "\n" + turns).match

    assert match.position == (position or Match(match.game).position)


@pytest.mark.parametrize(
    ("headers", "end", "result"),
    [
        (INTERNATIONAL, "2-0", "1-0"),
        (INTERNATIONAL, "0-2", "0-1"),
        (INTERNATIONAL, "1-1", "1/2-1/2"),
        (INTERNATIONAL, "1-0", "1-0"),
        (ENGLISH, "1-0", "0-1"),
        (ENGLISH, "0-1", "1-0"),
        (ENGLISH, "1/2-1/2", "1/2-1/2"),
        (ENGLISH + '[Result "1-0"]', "*", "0-1"),
        (INTERNATIONAL + '[Result "0-2"]', "0-1", "0-1"),
        ('[Game "draughts_english"]', "1-0", "1-0"),
        (INTERNATIONAL, "0-0", "*"),
    ],
)
def test_the_first_number_of_a_result_is_that_of_the_side_that_begins(headers: str, end: str, result: str) -> None:
    assert record(f"{headers}\n{end}").result == result


def test_headers_that_would_be_read_as_others_cannot_be_written() -> None:
    match = record(text_of("")).match
    for name in ("FEN", "White", "position"):
        with pytest.raises(RecordError, match=f"header {name} cannot be among the headers"):
            str(Record(match, headers={name: "x"}))


# What cannot be read does not hide what can.

GOOD = text_of("1. c2-c3", South="SOUTH")


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (text_of("1. c2-c4"), "match 2, line 8, turn 1 of South: c2-c4 is not legal"),
        (text_of("1. c2-c3\0 c4xc2"), "match 2, line 8: the line holds NUL, which is no text"),
        (
            text_of("1. c2-c3 {" + "x" * 1_000_000 + "}"),
            "match 2, line 8: the line is longer than 1,000,000 characters",
        ),
        (text_of("1. c2-c3 { good"), "match 2, line 8: the comment that begins here has no end"),
        (text_of("1. c2-c3 ("), "match 2, line 8: the variation that begins here has no end"),
        (text_of("1. c2-c3 ] c4xc2"), "match 2, line 8: unexpected ']'"),
        ('[Site "C:\\games"]\n' + text_of("1. c2-c3"), "match 2, line 6: header Site has a backslash before 'g'"),
        ('[Game "fetaix"]\n\n1. c2-c3\n\n', "match 2, line 11: header Game follows turns"),
        ("hello 1-0 and 0-1 *\n", "match 2, line 6: expected the headers of a match"),
    ],
)
def test_a_match_that_cannot_be_read_is_told_by_its_number_and_the_others_are_read(damaged: str, problem: str) -> None:
    told: list[str] = []
    found = list(read_records(GOOD + "\n" + damaged + "\n" + GOOD.replace("SOUTH", "later"), tell=told.append))

    assert [each.south for each in found] == ["SOUTH", "later"]
    assert [each[: len(problem)] for each in told] == [problem]


def test_marks_of_pdn_beside_the_turns_are_read() -> None:
    text = INTERNATIONAL + "% a remark 1-0\n\ufeff 1. 32-28! {[%clk 0:10:00]} 19- 23 2. 28:19 $2 14x23 (2... 13x24)\n*"

    assert record(text).match.turns == ("32-28", "19-23", "28x19", "14x23")


def test_a_match_of_a_file_is_found_behind_others_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "matches.pdn"
    file.write_text(text_of("1. c2-c4") + text_of("1. c2-c3 {") + "\n" + GOOD, encoding="utf-8")

    assert load_record(file, 3).south == "SOUTH"
    assert count_records(file) == 3
    with pytest.raises(RecordError, match="match 2, line 6: the comment that begins here has no end"):
        load_record(file, 2)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "matches.pdn").write_text(GOOD, encoding="utf-8")
    assert record_files.MAX_FILE == 64_000_000
    monkeypatch.setattr(record_files, "MAX_FILE", 20)

    with pytest.raises(RecordError, match=r"matches.pdn': it has more than 0 MB; divide it into smaller files"):
        load_record(tmp_path / "matches.pdn")
