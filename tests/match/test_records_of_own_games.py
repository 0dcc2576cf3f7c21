"""Match files of games from files: read without the file, and never taken for another game."""

import json
import re
from pathlib import Path

import pytest

from alquerque_env import Match, Record, load_game, read_records
from alquerque_env.errors import RecordError
from alquerque_env.game.game import Game
from tests.chosen_steps import play_on
from tests.own_games import write_game


def played(game: Game) -> Match:
    return play_on(Match(game), [-1] * 4)


def test_a_file_holds_matches_of_games_with_the_same_name(tmp_path: Path) -> None:
    matches = [
        played(load_game(write_game(tmp_path, "fetaix"))),
        played(load_game(write_game(tmp_path, "fetaix", at_limit="majority"))),
        played(load_game("fetaix")),
    ]

    found = [record.match for record in read_records("".join(str(Record(match)) for match in matches))]

    assert [match.game for match in found] == [match.game for match in matches]
    assert [match.position for match in found] == [match.position for match in matches]
    assert len({match.game.table_hash for match in found}) == 3


def test_a_record_of_the_package_has_no_text_of_a_file() -> None:
    assert "GameFile" not in str(Record(played(load_game("fetaix"))))


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
    text = str(Record(played(load_game(write_game(tmp_path)))))
    for name, value in changes.items():
        escaped = (value or "").replace("\\", "\\\\").replace('"', '\\"')
        line = "" if value is None else f'[{name} "{escaped}"]\n'
        text = re.sub(rf"\[{name} .*\n", lambda _, line=line: line, text)

    with pytest.raises(RecordError, match=message):
        list(read_records(text))


def test_a_changed_rule_in_a_record_is_noticed(tmp_path: Path) -> None:
    text = str(Record(played(load_game(write_game(tmp_path)))))
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

    (record,) = read_records(str(Record(match)))

    assert record.match.game == match.game
