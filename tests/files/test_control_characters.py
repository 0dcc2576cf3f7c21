"""The characters that no text from outside may have: the same ones in every file."""

from pathlib import Path

import pytest

from alquerque_env import Match, format_record, read_records
from alquerque_env.benchmark import Training
from alquerque_env.cli.command import print_report
from alquerque_env.errors import AlquerqueError, control_character, one_line
from alquerque_env.files.schema import parse
from alquerque_env.game.game import load_game
from tests.own_games import write_game

FORBIDDEN = [
    *map(chr, (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)),
    *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000))),
]
ALLOWED = [
    "\u00a0",
    "\u00ad",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u202f",
    "\u2065",
    "\u206a",
    "\ufeff",
    "é",
    "王",
    "😀",
]
SHOWN = ["\x1b", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066", "\u2069", "\ud800"]


@pytest.mark.parametrize("lines", [False, True])
def test_controls_separators_directions_and_surrogates_are_found_and_nothing_else(lines: bool) -> None:
    everything = [chr(code) for code in range(0x11_0000)]
    found = [each for each in everything if control_character(each, lines=lines) is not None]
    assert found == sorted([*FORBIDDEN, *([] if lines else "\t\n")])


def test_no_header_of_a_record_may_have_one() -> None:
    text = format_record(Match("fetaix"), headers={"Event": "here"})
    for character in [*SHOWN, *FORBIDDEN[-1:], *"\0\t\n\r\x85"]:
        with pytest.raises(AlquerqueError, match="header Event"):
            format_record(Match("fetaix"), headers={"Event": f"a{character}b"})
        if character not in "\n\r":  # these end the line
            with pytest.raises(AlquerqueError, match=r"header Event|the line holds NUL"):
                list(read_records(text.replace("here", f"a{character}b")))


@pytest.mark.parametrize("character", SHOWN)
@pytest.mark.parametrize("place", ["title", "source", "key"])
def test_no_game_file_may_have_one(character: str, place: str, tmp_path: Path) -> None:
    escaped = rf"\u{ord(character):04x}"
    file = write_game(tmp_path)
    text = Path(file).read_text(encoding="utf-8")
    if place == "title":
        text = text.replace('title = "', f'title = "{escaped}', 1)
    elif place == "source":
        text = text.replace('sources = ["', f'sources = ["{escaped}', 1)
    else:
        text = f'"{escaped}" = 1\n{text}'
    Path(file).write_text(text, encoding="utf-8")
    with pytest.raises(AlquerqueError) as caught:
        load_game(file)
    assert character not in str(caught.value)


@pytest.mark.parametrize("character", SHOWN)
def test_no_json_file_may_have_one_in_a_value_or_key(character: str) -> None:
    for content in ({"a": f"x{character}"}, {f"x{character}": "a"}, {"a": {"b": ["c", {"d": character}]}}):
        with pytest.raises(AlquerqueError, match="which has a control character: expected printable text") as caught:
            parse(dict, content, "a file")
        assert character not in str(caught.value)


def test_the_message_names_the_key_of_the_text() -> None:
    with pytest.raises(AlquerqueError, match=r"^card\.json: versions\.torch is '2\\x1b\[2J', which has a control"):
        parse(dict, {"versions": {"torch": "2\x1b[2J"}, "names": ["a", "b"]}, "card.json")
    with pytest.raises(AlquerqueError, match=r"names\[1\] is '\\u202e'"):
        parse(dict, {"names": ["a", "\u202e"]}, "card.json")
    with pytest.raises(AlquerqueError, match=r'the key "\\u202e" is'):
        parse(dict, {"\u202e": 1}, "card.json")


@pytest.mark.slow
def test_a_file_of_a_hundred_thousand_lists_in_each_other_is_checked() -> None:
    content: list = ["\x1b"]
    for _ in range(100_000):
        content = [content]
    with pytest.raises(AlquerqueError, match="control character"):
        parse(list, content, "a file")


def test_a_description_of_a_training_is_one_printable_line() -> None:
    for character in [*SHOWN, "\n", "\t"]:
        with pytest.raises(AlquerqueError, match="expected one line"):
            Training(library=f"a{character}b")
    for character in ALLOWED:
        assert Training(library=f"a{character}b").library == f"a{character}b"


def test_a_message_is_one_line_without_them() -> None:
    assert one_line("a\u202eb\x1b[2J c\n d\u2066\ud800") == "ab[2J c d"
    assert one_line("zwölf\u200dé") == "zwölf\u200dé"


def test_a_report_has_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_report({}, ["Anna\x1b[2J\u202e won", "Bo\x9b did not"], as_json=False)
    assert capsys.readouterr().out == "Anna[2J won\nBo did not\n"
