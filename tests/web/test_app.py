"""What the server of the page answers, and what it refuses."""

import asyncio
import json
import math
import os
import random
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from alquerque_env import Match, games, load_game, load_table
from alquerque_env.bots.levels import levels
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.bots.simple import RandomBot
from alquerque_env.cli.commands.web import listen
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, BotError
from alquerque_env.web import answers as page_answers
from alquerque_env.web.app import make_app
from alquerque_env.web.bot_pool import playable_games
from alquerque_env.web.request_bodies import BODIES
from tests.lost_match import LOST
from tests.option_values import few_games
from tests.sets import first_by_default
from tests.web.asked import HOST, ask
from tools.faults.hostile_clients import BODIES as REQUESTS
from tools.faults.random_changes import mutate

START = {"game": "alquerque", "options": {}, "start": None, "steps": []}


def test_the_page_and_its_files_are_served_and_name_no_other_server(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    for name in ("style.css", "main.js", "board.js", "icon.svg"):
        found = client.get(f"/static/{name}")
        assert found.status_code == 200
        assert found.headers["x-content-type-options"] == "nosniff"
        for text in (page.text, found.text):
            assert "//" not in text.replace("http://www.w3.org/", "").replace("// ", "")
    assert "default-src 'self'" in page.headers["content-security-policy"]


@first_by_default
@pytest.mark.parametrize("name", games())
def test_a_match_is_shown_as_the_engine_has_it(client: TestClient, name: str) -> None:
    game, generator = load_game(name), random.Random(5)
    match, texts = Match(game), []
    labels = game.board.labels
    while not match.is_over and len(texts) < 60:
        shown = ask(client, "match", {**START, "game": name, "steps": texts})
        assert shown["position"] == match.position
        assert shown["player"] == match.player
        assert [step["text"] for step in shown["legal"]] == [step.text for step in match.legal_steps]
        assert [turn["text"] for turn in shown["turns"]] == list(match.turns)
        assert [turn["player"] for turn in shown["turns"]] == [player for player, _ in match.history]
        for step, entry in zip(match.legal_steps, shown["legal"], strict=True):
            assert entry["captured"] == [labels[point] for point in step.captured]
            assert (entry["path"] == []) == step.is_pass
        chosen = generator.choice(match.legal_steps)
        texts.append(chosen.text)
        match.push(chosen)
    shown = ask(client, "match", {**START, "game": name, "steps": texts})
    if match.outcome is None:
        assert shown["outcome"] is None
    else:
        assert (shown["outcome"]["winner"], shown["outcome"]["reason"]) == (match.outcome.winner, match.outcome.reason)


def test_the_path_of_a_bent_leap_goes_over_its_victim_and_a_chain_has_one(client: TestClient) -> None:
    name, position = "awithlaknannai_mosona", "W:We2:Bf3"
    points = ask(client, "board", {"game": name})["points"]
    shown = ask(client, "match", {**START, "game": name, "start": position})
    bent = [step for step in shown["legal"] if step["captured"] and len(step["path"]) == 3]
    assert bent
    for step in bent:
        assert step["path"] == [points[label] for label in (step["origin"], *step["captured"], step["target"])]
    points = ask(client, "board", {"game": "alquerque"})["points"]
    match = {**START, "start": "W:Wa1:Bb2,d4"}
    leaps = ask(client, "turn", {"match": match, "bot": "random"})["steps"]
    assert [leap["text"] for leap in leaps] == ["a1xc3", "c3xe5"]
    assert leaps[-1]["after"]["last_paths"] == [[points[label] for label in ("a1", "c3", "e5")]]


def test_many_positions_of_a_match_are_those_of_its_beginnings(client: TestClient) -> None:
    match = {**START, "steps": ["c2-c3", "c4xc2", "c1xc3"], "person": 0}
    shown = ask(client, "positions", {"match": match, "counts": [3, 0, 2]})["positions"]
    for count, position in zip((0, 2, 3), shown, strict=True):
        whole = ask(client, "match", {**match, "steps": match["steps"][:count]})
        assert position == {name: value for name, value in whole.items() if name != "turns"}
    refused = ask(client, "positions", {"match": {**match, "steps": ["c2-c4"]}, "counts": [1]}, status=400)
    assert "c2-c4" in refused["error"]


@pytest.mark.parametrize("game", ["fetaix", "fanorona"])  # in the latter a chain may stop
def test_the_lines_of_an_evaluation_go_on_from_the_position(client: TestClient, game: str) -> None:
    thought = ask(client, "analysis", {"match": {**START, "game": game}, "seconds": 0.5})
    for candidate in thought["candidates"]:
        steps = [text for turn in candidate["line"] for text in turn["steps"]]
        assert steps[0] == candidate["step"]["text"]
        turns = ask(client, "match", {**START, "game": game, "steps": steps})["turns"]
        assert [turn["short"] for turn in turns] == [turn["text"] for turn in candidate["line"]]
    assert max(len(candidate["line"]) for candidate in thought["candidates"][3:]) == 1


def test_where_a_piece_may_not_go_and_a_long_chain_in_short_are_shown(client: TestClient) -> None:
    for game, start, where, way in (
        ("alquerque", "W:Wb3,a1:Bb4,b5,c3,d3,e5:Ub3-a3", [["b3", "a3"]], "back"),
        ("fanorona", "B:Wg1,a2:Be3:Ce3:Ad2:Vf4", [["e3", "d2"]], "straight on"),
        ("alquerque", None, [], "back"),
    ):
        shown = ask(client, "match", {**START, "game": game, "start": start})
        assert (shown["forbidden"], shown["forbidden_way"]) == (where, way)
    match = {**START, "game": "draughts_international", "start": "W:WK46:B41,32,22,12"}
    whole = ask(client, "turn", {"match": match, "bot": "alphabeta:1"})["steps"]
    shown = whole[-1]["after"]["turns"][0]
    assert (len(whole), shown["text"].count("x")) == (4, 4)
    assert shown["short"] == f"{whole[0]['text']}…x{whole[-1]['target']} (4 captures)"


def test_drops_and_removals_are_shown_at_their_points_with_the_pieces_in_hand(client: TestClient) -> None:
    board = ask(client, "board", {"game": "rimau_rimau"})
    match = {**START, "game": "rimau_rimau", "steps": ["@a1", "xb4", "@c5"]}
    begun = ask(client, "match", {**match, "steps": ["@a1"]})
    assert begun["hands"] == [1, 16]
    removal = next(step for step in begun["legal"] if step["text"] == "xb4")
    assert (removal["origin"], removal["target"], removal["captured"]) == (None, None, ["b4"])
    assert removal["path"] == [board["points"]["b4"]]
    shown = ask(client, "match", match)
    assert shown["hands"] == [0, 16]
    assert shown["last_paths"] == [[board["points"][label]] for label in ("a1", "b4", "c5")]
    assert shown["captured"] == ["b4"]
    assert [turn["steps"] for turn in shown["turns"]] == [3]
    drop = next(step for step in shown["legal"] if step["text"] == "@b4")
    assert (drop["origin"], drop["target"], drop["path"]) == (None, "b4", [board["points"]["b4"]])


def test_games_are_listed_with_a_line_and_a_kind(client: TestClient) -> None:
    listed = client.post("/api/games", json={}).json()
    shown = {game["id"]: game for game in listed["games"]}
    assert set(shown) == set(games())
    assert all(game["about"] for game in listed["games"])
    kinds = {kind: {name for name, game in shown.items() if game["kind"] == kind} for kind in ("Hunt", "Draughts")}
    assert kinds["Hunt"] == {name for name in games() if load_game(name).has_roles}
    assert kinds["Draughts"] == {"draughts_english", "draughts_international"}
    assert len(json.dumps(listed)) < 20_000  # the page waits for it
    offered = [level["spec"] for level in ask(client, "rules", {"game": listed["first"]})["levels"]]
    assert listed["opponent"] in offered
    named = [level.name for level in levels(load_game("fetaix"))[:6]]
    assert [listed["level_names"][spec] for spec in offered[:6]] == named


@pytest.mark.parametrize("name", ["alquerque", "bagh_chal", "draughts_english", "seega_5x5"])
def test_the_card_of_a_game_shows_the_start_without_names(client: TestClient, name: str) -> None:
    drawn = ask(client, "card", {"game": name})["svg"]
    start = Match(load_game(name)).picture()
    root = ElementTree.fromstring(drawn)
    shown = {group.get("data-at"): group.get("class") for group in root if group.get("class", "").startswith("piece ")}
    assert shown == {
        start.board.labels[point]: f"piece {'north' if player else 'south'} man"
        for point, (player, _) in start.pieces.items()
    }
    hands = sum(group.get("class") == "hand" for group in root)
    assert hands == sum(count > 0 for count in start.hands)
    assert not any(group.get("class") in ("label", "caption") for group in root)


@first_by_default
@pytest.mark.parametrize("name", games())
def test_boards_have_a_place_for_every_point_and_can_be_turned(client: TestClient, name: str) -> None:
    game = load_game(name)
    south, north = (ask(client, "board", {"game": name, "turned": turned}) for turned in (False, True))
    assert set(south["points"]) == set(game.board.labels)
    width, height = south["size"]
    for label, (x, y) in south["points"].items():
        assert north["points"][label] == pytest.approx([width - x, height - y], abs=0.11)
    assert set(south["pieces"]) == ({"0", "1"} if game.rules.promotion == "none" else {"0", "1", "0K", "1K"})


@first_by_default
@pytest.mark.parametrize("name", few_games())
@pytest.mark.slow
def test_every_level_plays_a_legal_turn(client: TestClient, name: str) -> None:
    specs = [level["spec"] for level in ask(client, "rules", {"game": name})["levels"]]
    assert specs[0] == "random"
    assert specs[-1] == "greedy"
    for spec in specs:
        steps = ask(client, "turn", {"match": {**START, "game": name}, "bot": spec})["steps"]
        match = Match(load_game(name))
        for step in steps:
            match.push(step["text"])
            assert step["after"]["position"] == match.position
        assert match.is_over or match.player == 1 - match.game.first_player


def test_the_turn_of_a_bot_comes_with_its_note() -> None:
    with TestClient(make_app(seconds=1, offered={"perfect": games()}), base_url=HOST) as client:
        match = {**START, "game": "felli_simplified", "start": "W:Wa1,e1,c2:Be5"}
        assert ask(client, "turn", {"match": match, "bot": "perfect"})["note"] == "exact: wins in 7 turns"
        assert ask(client, "turn", {"match": match, "bot": "random"})["note"] == ""
        searched = {**START, "game": "alquerque_murray"}
        assert ask(client, "turn", {"match": searched, "bot": "perfect"})["note"].startswith("searched")
        shown = [level["spec"] for level in ask(client, "rules", {"game": "felli_simplified"})["levels"]]
        assert shown.count("perfect") == 1


def test_a_bot_that_is_told_to_move_plays_what_it_has_found() -> None:
    with TestClient(make_app(seconds=60), base_url=HOST) as client, ThreadPoolExecutor(1) as pool:
        asked = {"match": {**START, "game": "draughts_english"}, "bot": levels(load_game("fetaix"))[5].spec, "id": "7"}
        answer = pool.submit(ask, client, "turn", asked)
        begun = time.monotonic()
        while not ask(client, "move-now", {"id": "7"})["stopped"]:
            assert time.monotonic() < begun + 300
        assert len(answer.result(300)["steps"]) == 1
        assert ask(client, "move-now", {"id": "7"}) == {"stopped": False}


def test_what_is_known_of_a_solved_game_is_told(client: TestClient) -> None:
    def said(name: str) -> str:
        return ask(client, "rules", {"game": name})["solution"]

    assert said("pretwa") == "This game is solved: between players who make no mistake it is a draw."
    table, start = load_table("felli_simplified"), Match("felli_simplified")
    won = " or ".join(step.text for step in table.best_steps(start))
    assert said("felli_simplified") == f"This game is solved: South wins with {won}."
    assert said("awithlaknannai_mosona") == "This game is solved: South wins with j1-i2."
    listed = {game["id"]: game["solved"] for game in client.post("/api/games", json={}).json()["games"]}
    assert [listed[name] for name in ("pretwa", "felli", "zamma")] == ["Solved: a draw", "Solved: South wins", ""]
    assert listed["bagh_chal"] == "Solved: a draw"  # by a publication
    assert ask(client, "rules", {"game": "fetaix", "options": {"man_capture_dirs": "all"}})["solution"] == ""


def test_values_of_an_evaluation_are_for_south() -> None:
    """The search ends early: it finds the end of the match."""
    options = {"no_progress_limit": 60}  # where a table knows the value, the search has a tenth of a second
    with TestClient(make_app(seconds=20), base_url=HOST) as client:
        for position in ("W:Wa1,e1:Bb2", "B:Wa1:Bb2,e4"):
            thought = ask(
                client, "analysis", {"match": {**START, "options": options, "start": position}, "seconds": 20}
            )
            assert abs(thought["value"]) == 1
            match = Match(load_game("alquerque", **options), position)
            assert thought["value"] == (1 if match.player == 0 else -1)
            assert {one["step"]["text"] for one in thought["candidates"]} == {step.text for step in match.legal_steps}
            assert all(one["line"][0]["paths"] for one in thought["candidates"])
            assert thought["candidates"][0]["words"].startswith("wins in ")


def test_exact_values_of_a_table_come_with_the_distance_of_every_step(client: TestClient) -> None:
    match, table = Match("felli_simplified", "W:Wa1,e1,c2:Be5"), load_table("felli_simplified")
    body = {"match": {**START, "game": "felli_simplified", "start": match.position}, "seconds": 0.1}
    thought = ask(client, "analysis", body)
    known = [(found.step.text, f"wins in {found.distance}") for found in table.steps(match)]
    assert [(one["step"]["text"], one["exact"]["words"]) for one in thought["candidates"]] == known
    assert (thought["player"], thought["value"]) == (0, 1)
    assert thought["choice"] in dict(known)
    alone = ask(client, "analysis", {**body, "evaluator": "exact"})
    assert alone["choice"] is None
    assert [(one["step"]["text"], one["exact"]["words"], one["value"]) for one in alone["candidates"]] == [
        (*pair, None) for pair in known
    ]


def test_a_proof_says_of_steps_what_it_proves(client: TestClient) -> None:
    body = {"match": {**START, "game": "awithlaknannai_mosona"}, "evaluator": "exact"}
    begun = ask(client, "analysis", body)
    assert {one["step"]["text"]: one["exact"] and one["exact"]["words"] for one in begun["candidates"]} == {
        "j1-i2": "wins",
        "h1-i2": None,
        "k2-i2": None,
    }
    assert (begun["value"], begun["exact"]) == (1, "South wins under best play.")
    body["match"]["steps"] = ["j1-i2"]
    answered = ask(client, "analysis", body)
    assert {one["exact"]["words"] for one in answered["candidates"]} == {"loses"}
    assert answered["value"] == 1


def test_every_evaluator_values_every_step(client: TestClient) -> None:
    shown = ask(client, "rules", {"game": "fetaix"})
    assert "random" not in shown["evaluators"]
    for evaluator in ("search", "mcts:20", "alphabeta:1"):
        assert evaluator == "search" or evaluator in shown["evaluators"]
        thought = ask(client, "analysis", {"match": START | {"game": "fetaix"}, "evaluator": evaluator, "seconds": 0.1})
        assert {one["step"]["text"] for one in thought["candidates"]} == {
            step.text for step in Match("fetaix").legal_steps
        }
        assert all(-1 <= one["value"] <= 1 and one["exact"] is None for one in thought["candidates"])
        assert all((one["share"] is not None) == (evaluator == "mcts:20") for one in thought["candidates"])


def test_a_browser_holds_every_number_of_an_answer_about_a_large_board(client: TestClient) -> None:
    numbers = [0]
    for path in ("rules", "board", "card", "rule-pictures", "lessons", "match"):
        answer = client.post(f"/api/{path}", json={"game": "tiger_game_forty"})
        assert answer.status_code == 200
        json.loads(answer.text, parse_int=lambda digits: numbers.append(int(digits)))
    assert len(numbers) > 50
    assert max(map(abs, numbers)) < 2**53


def test_options_change_the_rules_that_are_told_and_the_levels_that_fit(client: TestClient) -> None:
    plain = ask(client, "rules", {"game": "fetaix"})
    other = ask(client, "rules", {"game": "fetaix", "options": {"man_capture_dirs": "all"}})
    assert plain["options"] != other["options"]
    assert [one["name"] for one in other["options"] if not one["is_default"]] == ["man_capture_dirs"]
    assert plain["sources"]
    assert [level["spec"] for level in other["levels"]] == [
        *(level.spec for level in levels(load_game("fetaix", man_capture_dirs="all"))),
        "greedy",
    ]


def test_contradicting_options_are_told_in_the_questions_of_the_page(client: TestClient) -> None:
    for game, options, named, words in (
        ("fetaix", {"no_progress_limit": "off"}, ["repetition", "no_progress_limit"], "“Does repeating a position end"),
        (
            "kharbaga",
            {"chain": "single"},
            ["max_capture", "chain"],
            "as long as it can”, not “no, one leap ends the turn”: chains of captures",
        ),
        ("rimau", {"loses_at": 40}, ["loses_at"], "has North lost? – with 40 or fewer”, but north has 24 pieces"),
    ):
        refused = ask(client, "rules", {"game": game, "options": options}, 400)
        assert refused["fields"] == named
        assert words in refused["error"]
        assert "=" not in refused["error"]
    assert ask(client, "match", {**START, "start": "W:Wz9:B"}, 400)["fields"] == ["start"]


def load_in_parts(client: TestClient, text: str, size: int) -> list[list[dict]]:
    """The answers to requests that read a file in parts of a size, each as its matches."""
    answers, place, begun = [], {}, 0
    while place is not None:
        part = text[begun : begun + size]
        answer = ask(client, "load", {"text": part, "is_last": begun + size >= len(text), **place})
        answers.append(answer["matches"])
        place, begun = answer["next"], begun + answer["read"]
    return answers


@pytest.mark.parametrize("size", [600, 1000, 100_000])
def test_a_long_file_is_loaded_in_parts_of_at_most_fifty_matches(client: TestClient, size: int) -> None:
    record = '[Game "fetaix"]\n[Round "N"]\n\n1. c2-c3 *\n\n'
    damaged = record.replace("c2-c3", "c2-c4")
    text = "".join((damaged if number == 60 else record).replace("N", str(number)) for number in range(1, 121))

    answers = load_in_parts(client, text, size)

    matches = [match for answer in answers for match in answer]
    assert [match["number"] for match in matches] == list(range(1, 121))
    assert [match["headers"]["Round"] for match in matches if "headers" in match] == [
        str(number) for number in range(1, 121) if number != 60
    ]
    assert matches[59]["problem"].startswith("match 60, line 299, turn 1 of South: c2-c4 is not legal")
    assert size < len(text) or [len(answer) for answer in answers] == [50, 50, 20]


def test_a_match_that_is_longer_than_a_part_is_refused_by_its_number(client: TestClient) -> None:
    record = '[Game "fetaix"]\n\n1. c2-c3 *\n\n'
    long = record.replace("*", "{" + "long " * 800 + "} *")

    for comment in (long, long.replace("long ", "long\n")):
        answers = load_in_parts(client, 3 * record + comment + 3 * record, 1000)
        matches = [match for answer in answers for match in answer]
        assert [match["number"] for match in matches] == list(range(1, 8))
        assert [match["number"] for match in matches if "problem" in match] == [4]
        assert "the match is too long to be read in a part of the file" in matches[3]["problem"]


def test_matches_of_a_file_that_the_page_cannot_show_are_told_beside_the_others(client: TestClient) -> None:
    shuffle = "W:WKa1:BKe4"
    turns = " ".join(("a1-a2", "e4-e5", "a2-a1", "e5-e4")[number % 4] for number in range(5100))
    endless = f'[Game "fetaix"]\n[Options "no_progress_limit=9000"]\n[Position "{shuffle}"]\n\n{turns} *\n'
    russian = '[GameType "25"]\n\n1. c3-d4 *\n'
    text = f'{russian}\n[GameType "20"]\n[White "x"]\n\n1. 32-28 2-0\n\n{endless}'

    first, second, third = ask(client, "load", {"text": text})["matches"]

    assert "Russian draughts, GameType 25, is not among the games" in first["problem"]
    assert (second["match"]["game"], second["south"]) == ("draughts_international", "x")
    assert "the page shows matches of at most 5000 steps" in third["problem"]
    assert "Russian draughts" in ask(client, "load", {"text": russian}, 400)["error"]


@pytest.mark.parametrize(
    ("start", "value", "said"),
    [
        ("W:Wa1:B", 1, "You win: the bot has no pieces left."),
        ("B:W:Be5", -1, "The bot wins: you have no pieces left."),
        ("B:Wa1:Be5:H80", 0, "Draw: 80 turns without a capture or a promotion."),
    ],
)
def test_a_final_position_is_worth_its_outcome_to_every_evaluator_and_no_bot_plays_there(
    client: TestClient, start: str, value: int, said: str
) -> None:
    match = {**START, "game": "fetaix", "start": start, "person": 0}
    offered = ask(client, "rules", {"game": "fetaix"})
    for evaluator in ("search", "exact", *offered["evaluators"]):
        thought = ask(client, "analysis", {"match": match, "evaluator": evaluator})
        assert (thought["value"], thought["exact"], thought["candidates"], thought["choice"]) == (value, said, [], None)
    for level in offered["levels"]:
        refused = ask(client, "turn", {"match": match, "bot": level["spec"]}, 400)
        assert refused == {"error": f"{level['spec']} cannot play: the match is over"}


@pytest.mark.parametrize("path", ["match", "turn"])
def test_an_aborted_request_raises_no_error_in_the_server(path: str) -> None:
    """An exception would print a traceback in the terminal."""
    headers = {"host": "localhost", "content-type": "application/json", "content-length": "50"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/api/{path}",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    heard = [{"type": "http.request", "body": b"{}", "more_body": True}, {"type": "http.disconnect"}]
    said = []

    async def receive() -> dict:
        return heard.pop(0)

    async def send(message: dict) -> None:
        said.append(message)

    asyncio.run(make_app()(scope, receive, send))
    assert said[0]["status"] == 400


def test_a_picture_refers_to_no_other_file(client: TestClient) -> None:
    svg = ask(client, "picture", {"match": START, "turned": True})["svg"]
    assert svg.startswith("<svg")
    assert "href" not in svg


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("match", {**START, "game": "chess"}, "no game 'chess'"),
        ("match", {**START, "options": {"capture": "x"}}, "Capture cannot be 'x'"),
        ("match", {**START, "steps": ["c2-c3", "a1-a2"]}, "step 2: a1-a2 is not legal"),
        ("match", {**START, "steps": [7]}, "steps.0"),
        ("match", {**START, "extra": 1}, "extra"),
        ("match", {**START, "steps": ["c2-c3"] * 6000}, "steps"),
        ("turn", {"match": START, "bot": "alphabeta:98"}, "no bot 'alphabeta:98'"),
        ("turn", {"match": START, "bot": "/etc/passwd"}, "no bot '/etc/passwd'"),
        ("turn", {"match": START, "bot": "ugi:touch /tmp/x"}, "no bot"),
        ("analysis", {"match": START, "seconds": 1e9}, "seconds"),
        ("analysis", {"match": START, "evaluator": "ugi:touch /tmp/x"}, "no bot"),
        ("analysis", {"match": START, "evaluator": "random"}, "random does not evaluate positions"),
        ("save", {"match": START, "south": "", "north": "x"}, "south"),
        ("save", {"match": START, "south": "x", "north": "x", "result": "2-0"}, "the result is '2-0'"),
        ("load", {"text": "nothing"}, ""),
    ],
)
def test_an_error_names_the_wrong_value(client: TestClient, path: str, body: object, words: str) -> None:
    error = ask(client, path, body, 400)["error"]
    assert words in error
    assert "\n" not in error


def test_a_report_comes_in_parts_and_says_the_same_as_a_whole_one(client: TestClient, monkeypatch) -> None:
    lost = Match("felli_simplified")
    for turn in LOST.split():
        lost.push(turn)
    match = {**START, "game": "felli_simplified", "steps": [step.text for step in lost.steps]}
    monkeypatch.setattr(page_answers, "PART_SECONDS", math.inf)
    whole = ask(client, "report", {"match": match})
    monkeypatch.setattr(page_answers, "PART_SECONDS", 0)
    judged, report = [], None
    while report is None:
        part = ask(client, "report", {"match": match, "judged": judged})
        judged, report = [*judged, *part["judged"]], part["report"]
        assert (part["turns"], len(part["judged"])) == (18, 1)
    assert (judged, report) == (whole["judged"], whole["report"])
    assert [(one["number"], one["column"]) for one in report["mistakes"]] == [(6, 0), (8, 1), (9, 0)]
    assert report["decisive"] == report["mistakes"][-1]["start"] == 17
    points = ask(client, "board", {"game": "felli_simplified"})["points"]
    assert report["mistakes"][-1]["paths"] == [[points["d2"], points["b4"]]]
    match["steps"] = match["steps"][:-2]
    resigned = ask(client, "report", {"match": match, "result": "0-1", "judged": judged[:-1]})["report"]
    assert (resigned["values"][-1], resigned["decisive"]) == (-1, 17)


@pytest.mark.parametrize(
    "change",
    [{"start": -1}, {"start": 9999}, {"best": 2.0}, {"better": ["a1-a9"]}, {"better": [7]}, {"player": 2}, {"more": 1}],
)
def test_turns_that_nobody_judged_are_refused(client: TestClient, change: dict[str, object]) -> None:
    body = REQUESTS["/api/report"]
    assert ask(client, "report", {**body, "judged": [{**body["judged"][0], **change}]}, 400)["error"]


def test_variations_are_arranged_and_what_is_not_legal_is_left_out(client: TestClient) -> None:
    match = {**START, "game": "alquerque_murray", "steps": ["c2-c3", "c4xc2"]}
    lines = [["d2-c3", "b4xd2"], ["d2-c3", "d4xd2", "x"], ["a1-a2"], ["c2-c3", "c4xc2", "d2-c3"]]
    shown = ask(client, "variations", {"match": match, "variations": lines})
    assert shown["lines"] == [lines[0], lines[1][:2], lines[3]]
    assert [(one["parent"], one["start"]) for one in shown["branches"]] == [(None, 0), (0, 1), (None, 2)]
    assert [[turn["text"] for turn in one["turns"]] for one in shown["branches"]] == [
        ["d2-c3", "b4xd2"],
        ["d4xd2"],
        ["d2-c3"],
    ]
    assert [(turn["number"], turn["column"], turn["steps"]) for turn in shown["branches"][1]["turns"]] == [(1, 1, 2)]
    assert shown["problems"] == [
        "Variation 2 is kept up to step 2: its step 3, x, is not legal.",
        "Variation 3 is left out: its step 1, a1-a2, is not legal.",
    ]
    assert ask(client, "match", {**match, "steps": ["c2-c3", "a1-a9"]}, 400)["legal"] == 1


def test_comments_and_variations_are_loaded_and_saved(client: TestClient) -> None:
    turns = "1. c2-c3 {good} (1. d2-c3 {worse} b4xd2 (1... d4xd2)) 1... c4xc2 *"
    (loaded,) = ask(client, "load", {"text": f'[Game "alquerque_murray"]\n\n{turns}'})["matches"]
    assert loaded["comments"] == [{"steps": ["c2-c3"], "text": "good"}, {"steps": ["d2-c3"], "text": "worse"}]
    assert loaded["variations"] == [["d2-c3", "b4xd2"], ["d2-c3", "d4xd2"]]
    assert loaded["comments_left_out"] == loaded["left_out"] == 0
    said = {name: loaded[name] for name in ("match", "variations", "comments")}
    saved = {**said, "south": "a", "north": "b", "result": "0-1", "reason": "resigned"}
    text = ask(client, "save", saved)["text"]
    ended = {"result": "0-1", "ended": {"result": "0-1", "reason": "resigned"}}
    for again in ask(client, "load", {"text": f"{text}\n{text}"})["matches"]:
        assert {**again, "number": 1} == {**loaded, "south": "a", "north": "b", **ended}
    many = " ".join(f"{{{number}}}" for number in range(1_005)) + "(1. d2-c3 b4xd2) " * 250
    (loaded,) = ask(client, "load", {"text": f'[Game "alquerque_murray"]\n\n1. c2-c3 {many} *'})["matches"]
    assert (len(loaded["comments"]), loaded["comments_left_out"]) == (1_000, 5)
    assert (len(loaded["variations"]), loaded["left_out"]) == (200, 50)


@pytest.mark.parametrize("name", BODIES)
def test_malformed_bodies_are_refused(client: TestClient, name: str) -> None:
    for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"game": 1}', b'{"a":' * 5000):
        answer = client.post(f"/api/{name}", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(({"host": host}, 403) for host in ("evil.example", "127.0.0.1.evil.example:8008", "localhost..", ".", "")),
        ({"host": "LOCALHOST.EVIL.EXAMPLE"}, 403),
        ({"host": "localhost", "origin": "http://LOCALHOST.evil.example"}, 403),
        *(({"origin": origin}, 403) for origin in ("http://evil.example", "null", "http://127.0.0.1:9999")),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({}, 200),
        ({"origin": HOST}, 200),
        ({"host": "localhost:8008"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "localhost:8008", "origin": "HTTP://LocalHost:8008"}, 200),
        ({"host": "localhost.:8008", "origin": "http://localhost.:8008"}, 200),
        ({"host": "[::1]:8008", "origin": "http://[::1]:8008"}, 200),
    ],
)
def test_other_pages_and_other_names_are_refused(client: TestClient, headers: dict[str, str], status: int) -> None:
    sent = {"content-type": "application/json", **headers}
    answer = client.post("/api/match", content=json.dumps(START), headers=sent)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/match", 405), ("POST", "/api/none", 404)])
def test_other_paths_and_methods_are_refused(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path, json=START if method == "POST" else None)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404


def test_every_json_body_is_answered_or_refused(client: TestClient) -> None:
    chance, sent = random.Random(1), {"content-type": "application/json"}
    for _ in range(100):
        path, body = chance.choice(list(REQUESTS.items()))
        answer = client.post(path, content=json.dumps(mutate(body, chance)), headers=sent)
        assert answer.status_code in (200, 400)
        assert isinstance(answer.json(), dict)
        assert answer.status_code == 200 or answer.json()["error"]


@pytest.mark.slow
def test_a_checkpoint_is_offered_by_a_name_without_its_folders_for_the_rules_that_it_plays(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mine-1" / "checkpoints" / "final"
    shutil.copytree(shipped_bots()["fetaix-small"], folder)
    spec = f"{folder}:2"
    with TestClient(make_app(offered={spec: ["fetaix"], "greedy": ["fetaix"]}), base_url=HOST) as client:
        plain, changed = (
            ask(client, "rules", {"game": "fetaix", "options": options})
            for options in ({}, {"man_capture_dirs": "all"})
        )
        assert [level["name"] for level in plain["levels"]][-2:] == ["mine-1/final:2", "greedy"]
        assert plain["strongest"] == levels(load_game("fetaix"))[-1].spec
        assert [level["name"] for level in changed["levels"]][-2:] == ["Trained", "greedy"]
        assert str(tmp_path) not in json.dumps([plain, changed])
        asked = {"match": {**START, "game": "fetaix"}, "bot": "mine-1/final:2"}
        assert ask(client, "turn", asked)["steps"]
        refused = ask(
            client, "turn", {**asked, "match": {**asked["match"], "options": {"man_capture_dirs": "all"}}}, 400
        )
        assert "no bot 'mine-1/final:2'" in refused["error"]


def copy_checkpoint(folder: Path) -> Path:
    shutil.copytree(shipped_bots()["fetaix-small"], folder)
    return folder


@pytest.mark.skipif(os.name != "posix", reason="Windows makes links for administrators only")
def test_no_checkpoint_outside_the_named_folders_is_opened(tmp_path: Path) -> None:
    elsewhere = copy_checkpoint(tmp_path / "elsewhere")
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "link").symlink_to(elsewhere)
    (runs / "linked").mkdir()
    for file in elsewhere.iterdir():
        (runs / "linked" / file.name).symlink_to(file)
    (runs / "player.py").write_text("raise SystemExit", encoding="utf-8")
    (runs / "broken").mkdir()
    for name in ("meta.json", "weights.safetensors"):
        (runs / "broken" / name).write_text("{}", encoding="utf-8")
    with TestClient(make_app(checkpoints=[runs]), base_url=HOST) as client:
        for text in ("../elsewhere", str(elsewhere), "link", "linked", "nothing", "", ".", "player.py", "a\0b", "~"):
            error = ask(client, "open", {"folder": text}, 400)["error"]
            assert error.startswith("there is no checkpoint ")
            assert str(tmp_path) not in error.replace(text or "-", "")
        assert str(tmp_path) not in ask(client, "open", {"folder": "broken"}, 400)["error"]
    with TestClient(make_app(), base_url=HOST) as client:
        assert "--checkpoints FOLDER" in ask(client, "open", {"folder": "mine"}, 400)["error"]


@pytest.mark.skipif(os.name != "posix", reason="Windows makes links for administrators only")
def test_checkpoints_are_listed_newest_first_with_what_differs_from_the_game_and_a_run_opens_its_newest(
    tmp_path: Path,
) -> None:
    elsewhere, runs = copy_checkpoint(tmp_path / "elsewhere"), tmp_path / "runs"
    names = "run-1/checkpoints/step-2", "run-1/checkpoints/final", "sweep/<b>/checkpoints/final", "1/2/3/4/5/final"
    for seconds, name in enumerate(names):
        os.utime(copy_checkpoint(runs / name) / "meta.json", (seconds, seconds))
    (runs / "link").symlink_to(elsewhere)
    (copy_checkpoint(runs / "broken") / "meta.json").write_text("{}", encoding="utf-8")
    with TestClient(make_app(checkpoints=[runs]), base_url=HOST) as client:
        for game, options, differs in (
            ("fetaix", {}, ""),
            ("fetaix", {"man_capture_dirs": "all"}, " (other rules)"),
            ("felli", {}, " (another game)"),
        ):
            listed = ask(client, "checkpoints", {"game": game, "options": options})["checkpoints"]
            assert [(each["folder"], each["at"]) for each in listed] == [(names[at], at) for at in (2, 1, 0)]
            assert {each["about"] for each in listed} == {f"Fetaix, 1,523,712 steps{differs}"}
        assert ask(client, "open", {"folder": "run-1"})["name"] == "run-1/final"


def test_the_error_of_a_checkpoint_that_plays_no_game_is_about_its_own_game(tmp_path: Path) -> None:
    spec = str(copy_checkpoint(tmp_path / "mine-1"))
    with pytest.raises(BotError, match=r"plays 'fetaix', which the page does not have: .* --game FILE"):
        playable_games(spec, [load_game("felli"), load_game("pretwa")])
    card = Path(spec) / "meta.json"
    card.write_text(card.read_text().replace('"table_hash": "', '"table_hash": "0'))
    with pytest.raises(AlquerqueError, match=r"was made for other rules"):
        playable_games(spec, [load_game("felli"), load_game("fetaix")])


def test_a_checkpoint_is_offered_with_the_options_that_it_was_trained_with(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.training.random_checkpoints import save_random_checkpoint

    spec = str(save_random_checkpoint(tmp_path / "mine-1", load_game("fetaix", chain="single")))
    played = playable_games(spec, [load_game("felli"), load_game("fetaix")])
    assert played == ("fetaix",)
    with TestClient(make_app(checkpoints=[tmp_path]), base_url=HOST) as client:
        assert ask(client, "open", {"folder": "mine-1"})["games"] == ["Fetaix with chain=single"]
        offered = {
            chain: "mine-1" in json.dumps(ask(client, "rules", {"game": "fetaix", "options": {"chain": chain}}))
            for chain in ("compulsory", "single")
        }
        assert offered == {"compulsory": False, "single": True}


def test_a_bot_that_fails_has_lost_and_is_loaded_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise BotError("/home/me/mine: a1-e5 is no turn here")

    with monkeypatch.context() as patched:
        patched.setattr(RandomBot, "choose", fail)
        refused = ask(client, "turn", {"match": START, "bot": "random"}, 400)
    assert refused == {"error": "mine: a1-e5 is no turn here", "bot_failed": True}
    assert ask(client, "turn", {"match": START, "bot": "random"})["steps"]


def test_a_bot_that_cannot_be_loaded_has_not_lost(tmp_path: Path) -> None:
    offered = {str(tmp_path / folder / "final"): ["fetaix"] for folder in ("gone", "lost")}
    with TestClient(make_app(offered=offered), base_url=HOST) as client:
        shown = ask(client, "rules", {"game": "fetaix"})["levels"]
        assert [level["spec"] for level in shown][-2:] == ["final", "final (2)"]
        refused = ask(client, "turn", {"match": {**START, "game": "fetaix"}, "bot": "final"}, 400)
    assert refused == {"error": "final cannot be loaded any more: choose another one"}


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["web", "--no-browser", "--port", str(port)])
    assert result.exit_code == 2
    assert f"port {port} is in use" in result.output


@pytest.mark.skipif(os.name != "posix", reason="Windows takes a port again at once anyway")
def test_a_released_port_can_be_used_again_at_once() -> None:
    listener = listen(None)
    port = listener.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as client:
        served, _ = listener.accept()
        served.close()  # first, so that the port is left waiting
        listener.close()
        client.recv(1)
    listen(port).close()
