"""Match files of games from files: read without the file, and never taken for another game."""

import json
import pickle
from pathlib import Path

import pytest

from alquerque_env import Match, format_record, load_game, read_records
from alquerque_env.errors import RecordError
from alquerque_env.game.game import Game
from tests.own_games import write_game


def played(game: Game, steps: int = 4) -> Match:
    match = Match(game)
    while len(match.steps) < steps and not match.is_over:
        match.push(match.legal_steps[-1])
    return match


def test_a_record_is_read_without_the_file_of_its_game(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    match = played(load_game(file, chain="optional"))
    text = format_record(match, south="a", north="b")
    file.unlink()

    (record,) = read_records(text)

    assert record.match.game == match.game
    assert record.match.position == match.position
    assert str(record) == text
    assert record.other_headers == {}
    assert record.match.game.to_toml() == match.game.to_toml()


def test_a_file_holds_matches_of_games_with_the_same_name(tmp_path: Path) -> None:
    matches = [
        played(load_game(write_game(tmp_path, "fetaix"))),
        played(load_game(write_game(tmp_path, "fetaix", at_limit="majority"))),
        played(load_game("fetaix")),
    ]

    found = [record.match for record in read_records("".join(map(format_record, matches)))]

    assert [match.game for match in found] == [match.game for match in matches]
    assert [match.position for match in found] == [match.position for match in matches]
    assert len({match.game.table_hash for match in found}) == 3


def test_a_record_of_the_package_has_no_text_of_a_file() -> None:
    assert "GameFile" not in format_record(played(load_game("fetaix")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"GameFile": None}, "match 1, line 1: no game 'mine'"),
        ({"Game": "fetaix", "GameFile": None}, "the match was made for other rules"),
        ({"Game": "mine.toml", "GameFile": None}, "match 1, line 1: no game 'mine.toml'"),
        ({"Game": "../mine"}, "is not made of letters"),
        ({"GameFile": "{"}, "mine.toml: the text of the game is not valid JSON"),
        ({"GameFile": "x" * 30_001}, "header GameFile has 30001 characters, expected at most 30000"),
        ({"TableHash": "0123456789abcdef"}, "the match was made for other rules, or by version 0.1.0 or older"),
    ],
)
def test_headers_that_do_not_agree_are_refused(
    changes: dict[str, str | None], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (record,) = read_records(format_record(played(load_game(write_game(tmp_path)))))
    headers = {name: value for name, value in {**record.headers, **changes}.items() if value is not None}
    escaped = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in headers.items()}
    text = "".join(f'[{name} "{value}"]\n' for name, value in escaped.items()) + "\n*\n"

    with pytest.raises(RecordError, match=message):
        list(read_records(text))


def test_a_changed_rule_in_a_record_is_noticed(tmp_path: Path) -> None:
    text = format_record(played(load_game(write_game(tmp_path))))
    assert r"\"no_progress_result\":\"draw\"" in text
    with pytest.raises(RecordError, match="the match was made for other rules"):
        list(read_records(text.replace(r"\"no_progress_result\":\"draw\"", r"\"no_progress_result\":\"majority\"")))


def test_the_longest_game_fits_in_a_record(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    room = 30_000 - len(load_game(file).file_text)
    # Every quote becomes two characters in the text of the game, and four in the match file.
    source = json.dumps('"' * (room // 2))
    text = file.read_text(encoding="utf-8").replace('"an example"]', f"{source}]", 1)
    file.write_text(text, encoding="utf-8")
    match = played(load_game(file))
    assert len(match.game.file_text) > 29_900

    (record,) = read_records(format_record(match))

    assert record.match.game == match.game


def test_a_match_is_pickled_without_the_file_of_its_game(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    match = played(load_game(file))
    file.unlink()

    again = pickle.loads(pickle.dumps(match))

    assert (again.position, again.game) == (match.position, match.game)
    again.pop()
