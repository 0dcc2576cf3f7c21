"""What the page is told of lessons and puzzles."""

import random

import pytest
from starlette.testclient import TestClient

from alquerque_env import Match, games, load_game, load_table
from alquerque_env.exercises.exercise import find_missed_wins
from alquerque_env.exercises.puzzle_set import games_with_puzzles, load_puzzles
from tests.web.asked import ask
from tools.lessons import legal_turns

GAME = "felli_simplified"  # the package has the table of the whole game


def test_every_game_with_puzzles_is_listed(client: TestClient) -> None:
    found = ask(client, "games", {})
    assert found["puzzles"] == list(games_with_puzzles())
    assert set(found["puzzles"]) < set(games())
    assert set(found["elo"]) == {"first", "scale", "gain"}


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


def lost_match() -> tuple[Match, int]:
    """A match in which South, to win from the start, misses the only win of a later turn; and the turn."""
    game, table = load_game(GAME), load_table(GAME)
    match = Match(game)
    for _ in range(40):
        ranked = table.steps(match)
        wins = [found for found in ranked if found.value == 1]
        if match.player == 0 and len(wins) == 1 and len(ranked) > 1 and len(match.history) > 0:
            missed = len(match.history)
            match.push(ranked[-1].step)
            return match, missed
        match.push(ranked[0].step)
    raise AssertionError("no such position")


def test_a_missed_win_of_a_match_is_found(client: TestClient) -> None:
    match, missed = lost_match()
    body = {"game": GAME, "steps": [step.text for step in match.steps]}
    found = ask(client, "missed", {"match": body, "players": [0]})
    assert found["known"] is True
    (exercise,) = found["exercises"]
    assert exercise["number"] == missed // 2 + 1
    after = Match(GAME, exercise["position"])
    table = load_table(GAME)
    assert table.value(after) == 1
    for step in exercise["line"][0]:
        after.push(step)
    assert table.value(after) == -1
    assert after.turns[-1] != match.turns[-1]
    assert ask(client, "missed", {"match": body, "players": [1]})["exercises"] == []


def winning_turns(match: Match) -> set[tuple[str, ...]]:
    """The turns that win, each step by step."""
    table, found = load_table(GAME), set()
    for turn in legal_turns(match):
        after, own = turn.after, match.player
        value = 0 if after.is_over else table.value(after)
        won = after.outcome.winner == own if after.is_over else value == (1 if after.player == own else -1)
        if won:
            found.add(tuple(step.text for step in turn.steps))
    return found


def test_a_missed_win_goes_on_while_one_turn_alone_wins_against_the_longest_resistance() -> None:
    table, lines = load_table(GAME), []
    for seed in range(12):
        match, chance = Match(GAME), random.Random(seed)
        while not match.is_over:
            match.push(chance.choice(match.legal_steps))
        lines += [exercise for _, exercise in find_missed_wins(match, [0, 1], table, None)]
    assert max(len(line) for _, line in lines) > 5
    for position, line in lines:
        match = Match(GAME, position)
        player = match.player
        for number, turn in enumerate(line):
            if match.player == player:
                assert winning_turns(match) == {turn}
            else:
                assert table.distance(match) == max(found.distance for found in table.steps(match))
            before = table.distance(match)
            for text in turn:
                match.push(next(step for step in match.legal_steps if step.text == text))
            assert match.is_over or number % 2 == 0 or table.distance(match) == before - 1
        replies = [] if match.is_over else match.legal_steps
        for reply in replies:  # there is no longest resistance after which one turn alone wins again
            after = match.copy()
            after.push(reply)
            if after.player == player and table.distance(after) == table.distance(match) - 1:
                assert len(winning_turns(after)) > 1


def test_a_match_without_a_table_has_no_known_misses(client: TestClient) -> None:
    body = {"game": "zamma", "steps": []}
    assert ask(client, "missed", {"match": body, "players": [0]}) == {"known": False, "exercises": []}


def test_the_match_that_is_looked_through_is_unchanged() -> None:
    match, _ = lost_match()
    before = match.position, match.steps
    list(find_missed_wins(match, [0, 1], load_table(GAME), None))
    assert (match.position, match.steps) == before


def test_a_wrong_turn_is_refuted(client: TestClient) -> None:
    match, _ = lost_match()
    since = len(match.steps) - len(match.history[-1][1])
    body = {"match": {"game": GAME, "steps": [step.text for step in match.steps]}, "since": since}
    found = ask(client, "refute", body)
    assert match.turns[-1] in found["sentence"]
    value = load_table(GAME).value(match)
    assert value in (0, 1)
    assert ("draws" if value == 0 else "loses") in found["sentence"]
