"""Files that grow: lines whole or not at all, a header that decides the others, foreign files left alone."""

import json
from pathlib import Path

import pytest

from alquerque_env.errors import AlquerqueError
from alquerque_env.files.json_lines import JsonLines, append_line, whole_lines
from tests.full_disk import files_up_to

HEADER = {"game": "fetaix", "seed": 3}


def opened(path: Path, header: dict = HEADER) -> JsonLines:
    return JsonLines(path, "a list", ("list", 1), header)


def test_lines_come_back_in_their_order_after_the_header(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    with opened(path) as file:
        assert file.entries == []
        file.add({"number": 1})
        file.add({"number": 2})
    with opened(path) as file:
        assert file.entries == [{"number": 1}, {"number": 2}]
        file.add({"number": 3})

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [{"list": 1, **HEADER}, {"number": 1}, {"number": 2}, {"number": 3}]


@pytest.mark.parametrize("kept", range(0, 55, 6))
def test_a_torn_line_is_cut_off(tmp_path: Path, kept: int) -> None:
    """Whatever a killed process has left of a header and a line."""
    path = tmp_path / "one.jsonl"
    with opened(path) as file:
        file.add({"number": 1})
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])

    with opened(path) as file:
        assert file.entries == []
        file.add({"number": 1})
    assert path.read_bytes() == whole


def test_a_line_without_room_leaves_the_others_and_the_error_says_so(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    with opened(path) as file:
        file.add({"number": 1})
        before = path.read_bytes()
        with files_up_to(len(before) + 10), pytest.raises(OSError, match="the same command resumes") as caught:
            file.add({"number": 2, "long": "x" * 1000})
        assert caught.value.filename == str(path)
        assert path.read_bytes() == before
        file.add({"number": 2})
    with opened(path) as file:
        assert file.entries == [{"number": 1}, {"number": 2}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"something else", "is not the file of a list: it does not begin as one"),
        (b"something else\n", "is not the file of a list: line 1 is damaged"),
        (b'{"arena": 1}\n', "is not the file of a list: it does not begin as one"),
        (b"[]\n", "is not the file of a list: it does not begin as one"),
        (
            b'{"list": 1, "game": "fetaix", "seed": 4}\n',
            "holds a list with seed 4, this one has 3: choose another file",
        ),
        (b'{"list": 2, "game": "fetaix", "seed": 3}\n', "holds a list with list 2, this one has 1"),
        (b'{"list": 1, "game": "fetaix", "seed": 3}\n{"number": \n', "line 2 is damaged"),
    ],
)
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(content)

    with pytest.raises(AlquerqueError) as caught:
        opened(path)

    assert words in str(caught.value)
    assert path.read_bytes() == content


def test_lines_without_a_header_are_added_whole_too(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with path.open("ab", buffering=0) as file:
        append_line(file, {"number": 1})
        append_line(file, {"number": 2})

    assert [json.loads(line) for line in whole_lines(path.read_bytes() + b'{"number": 3')] == [
        {"number": 1},
        {"number": 2},
    ]
