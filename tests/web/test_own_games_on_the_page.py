"""Games from files on the page: offered where the server was started with them, and never opened for a request."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from alquerque_env import Match, Record, games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.web.app import make_app
from alquerque_env.web.bot_pool import playable_games
from alquerque_env.web.server_host import Catalogue
from tests.own_games import write_game
from tests.web.asked import HOST, ask


def test_a_game_from_a_file_is_offered_first_and_played(tmp_path: Path) -> None:
    files = [write_game(tmp_path), write_game(tmp_path, "fetaix")]
    own = [load_game(file) for file in files]
    for file in files:
        file.unlink()
    catalogue = Catalogue(own)
    offered = {"greedy": playable_games("greedy", catalogue.games.values())}
    with TestClient(make_app(catalogue=catalogue, offered=offered, seconds=0.3), base_url=HOST) as client:
        listed = client.post("/api/games", json={}).json()
        assert listed["first"] == "mine.toml"
        assert [game["id"] for game in listed["games"]] == ["mine.toml", "fetaix.toml", *games()]
        assert listed["games"][0]["title"] == "Small game (mine.toml)"
        shown = [ask(client, "rules", {"game": game["id"]}) for game in listed["games"][:2]]
        assert "greedy" in [level["spec"] for level in shown[0]["levels"]]
        assert not any("fetaix" in level["spec"] for level in shown[1]["levels"])
        match = {"game": "fetaix.toml", "options": {"chain": "single"}, "start": None, "steps": ["b1-b2"]}
        played = Match(own[1].with_options(chain="single"))
        played.push("b1-b2")
        shown = ask(client, "match", match)
        assert shown["position"] == played.position
        assert ask(client, "turn", {"match": match, "bot": "greedy"})["steps"]
        assert ask(client, "rules", {"game": "fetaix.toml"})["title"] == "Small game"
        assert ask(client, "rules", {"game": "fetaix"})["title"] == "Fetaix"
        text = ask(client, "save", {"match": match, "south": "a", "north": "b"})["text"]
        assert text.endswith("\n")
        (loaded,) = ask(client, "load", {"text": text})["matches"]
        assert loaded["match"] == match
        assert "GameFile" not in loaded["headers"]


def test_a_request_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_game(tmp_path)
    with TestClient(make_app(), base_url=HOST) as client:
        for name in ("mine.toml", "./mine.toml", "mine"):
            error = ask(client, "rules", {"game": name}, 400)["error"]
            assert error.startswith(f"no game {name!r}")
            assert "known: aadu_puli_attam, " in error
        ask(client, "rules", {"game": str(tmp_path / "mine.toml")}, 400)  # a long path is refused as a long name


def test_a_match_of_a_game_that_is_not_offered_is_refused(tmp_path: Path) -> None:
    offered = load_game(write_game(tmp_path))
    changed = load_game(write_game(tmp_path, chain="single"))
    record = str(Record(Match(changed)))
    for catalogue in (Catalogue(), Catalogue([offered])):
        with TestClient(make_app(catalogue=catalogue), base_url=HOST) as client:
            error = ask(client, "load", {"text": record}, 400)["error"]
            assert "the match is of a game from another mine.toml" in error
            assert "--game" in error


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = load_game(write_game(tmp_path)), load_game(write_game(tmp_path / "other", chain="single"))
    with pytest.raises(AlquerqueError, match=r"two game files have the name 'mine\.toml': rename one of them"):
        Catalogue([one, other])
    assert next(iter(Catalogue([one, one]).games)) == "mine.toml"


def test_a_game_of_the_package_can_be_the_first() -> None:
    assert Catalogue(first=load_game("fetaix")).first == "fetaix"
    assert Catalogue().first == "alquerque"
