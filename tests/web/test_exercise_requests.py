"""What the page is told of lessons and puzzles."""

import pytest
from starlette.testclient import TestClient

from alquerque_env import Match, load_table
from alquerque_env.exercises.puzzle_set import games_with_puzzles, load_puzzles
from tests.lost_match import GAME, lost_match
from tests.web.asked import ask


def test_every_game_with_puzzles_is_listed(client: TestClient) -> None:
    found = ask(client, "games", {})
    assert found["puzzles"] == list(games_with_puzzles())


def test_puzzles_come_with_rating_and_task(client: TestClient) -> None:
    found = ask(client, "puzzles", {"game": "fetaix"})["exercises"]
    shipped = load_puzzles("fetaix").puzzles
    assert [(each["position"], each["rating"]) for each in found] == [(each.position, each.rating) for each in shipped]
    colour = "dark" if found[0]["position"].startswith("B") else "white"
    assert found[0]["task"] == f"You are {colour}. Find the only move that wins."
    assert all(lesson["task"] for lesson in ask(client, "lessons", {"game": "bagh_chal"})["exercises"])


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("puzzles", {"game": "bagh_chal"}, "there are no puzzles of bagh_chal"),
        ("lessons", {"game": "fetaix", "options": {"man_capture_dirs": "all"}}, "no lessons for fetaix with these"),
        ("lessons", {"game": "none"}, "no game"),
        ("refute", {"match": {"game": GAME, "steps": []}, "since": 0}, "none follows"),
        ("missed", {"match": {"game": GAME, "steps": []}, "players": [2]}, "players"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(client, path, body, problem) -> None:
    assert problem in ask(client, path, body, 400)["error"]


def test_a_missed_win_of_a_match_is_found(client: TestClient) -> None:
    match, missed = lost_match()
    body = {"game": GAME, "steps": [step.text for step in match.steps]}
    found = ask(client, "missed", {"match": body, "players": [0]})
    assert found["known"] is True
    (exercise,) = found["exercises"]
    assert exercise["number"] == missed // 2 + 1
    assert load_table(GAME).value(Match(GAME, exercise["position"])) == 1
    assert ask(client, "missed", {"match": body, "players": [1]})["exercises"] == []


def test_a_match_without_a_table_has_no_known_misses(client: TestClient) -> None:
    body = {"game": "zamma", "steps": []}
    assert ask(client, "missed", {"match": body, "players": [0]}) == {"known": False, "exercises": []}


def test_a_wrong_turn_is_refuted(client: TestClient) -> None:
    match, _ = lost_match()
    since = len(match.steps) - len(match.history[-1][1])
    body = {"match": {"game": GAME, "steps": [step.text for step in match.steps]}, "since": since}
    found = ask(client, "refute", body)
    assert match.turns[-1] in found["sentence"]
    value = load_table(GAME).value(match)
    assert value in (0, 1)
    assert ("draws" if value == 0 else "loses") in found["sentence"]
