"""Match files on disk: replaced as a whole, chosen by number, and refused by name."""

import os

import pytest

from alquerque_env import Record
from alquerque_env.errors import RecordError
from alquerque_env.match.records import count_records, load_record, load_records, save_record
from tests.match.match_texts import played, text_of


def test_a_file_is_written_and_read(tmp_path):
    file = tmp_path / "match.pdn"
    text = str(Record(played("fetaix", "c2-c3"), south="Zoë"))

    save_record(file, text)

    assert file.read_bytes() == text.encode()
    assert [each.south for each in load_records(file)] == ["Zoë"]
    assert os.listdir(tmp_path) == ["match.pdn"]


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path):
    file = tmp_path / "match.pdn"
    save_record(file, text_of(""), overwrite=False)

    with pytest.raises(RecordError, match=r"match.pdn' exists already; choose another name$"):
        save_record(file, text_of("1. c2-c3"), overwrite=False)
    assert file.read_text() == text_of("")
    save_record(file, text_of("1. c2-c3"))
    assert file.read_text() == text_of("1. c2-c3")
    assert os.listdir(tmp_path) == ["match.pdn"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "cannot write '.*': Is a directory; choose another place"),
        ("no/such/match.pdn", "cannot write '.*': No such file or directory; choose another place"),
        ("a\0b", "cannot write 'a.x00b': .*null"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(tmp_path, name, problem):
    path = tmp_path / name if "\0" not in name else name
    with pytest.raises(RecordError, match=problem):
        save_record(path, text_of(""))
    assert os.listdir(tmp_path) == []


def test_one_match_of_a_file_is_chosen_by_its_number(tmp_path):
    file = tmp_path / "matches.pdn"
    save_record(file, text_of("1. c2-c3", South="a") + text_of("1. b2-c3", South="b") + text_of("1. d2-c3", South="c"))

    assert [load_record(file, number).south for number in (1, 2, 3)] == ["a", "b", "c"]
    assert load_record(file).south == "a"
    assert count_records(file) == 3
    for number in (0, 4):
        with pytest.raises(RecordError, match=f"holds 3 matches, so there is no match {number}"):
            load_record(file, number)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot read '.*match.pdn': No such file or directory"),
        (b"", "'.*match.pdn': the file holds no match, so there is no match 1"),
        (b"\xff\xfe[\0G\0", "'.*match.pdn': match 1, line 1: the line holds NUL, which is no text; save the file as"),
        (b"\x89PNG\r\n\x1a\n", "'.*match.pdn': match 1, line 1: expected the headers of a match"),
        (text_of("1. c2-c4").encode(), "'.*match.pdn': match 1, line 3, turn 1 of South: c2-c4 is not legal in"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, content, problem):
    file = tmp_path / "match.pdn"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(RecordError, match=problem):
        load_record(file, tell=str)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(RecordError, match="cannot read"):
        list(load_records(tmp_path))
