"""The table of requests: the server and the static page answer each of them alike."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from alquerque_env import format_link, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.match.records import Record
from alquerque_env.web.answers import MATCH_ANSWERS, show_error
from alquerque_env.web.bot_pool import BotPool
from alquerque_env.web.game_answers import GAME_ANSWERS
from alquerque_env.web.request_bodies import BODIES
from alquerque_env.web.server_host import ANSWERS, Catalogue, ServerHost
from alquerque_env.web.site.site_folder import write_site
from tests.browser import CHROMIUM
from tests.web.file_host import ask, body_of, hosted, random_match
from tests.web.on_the_page import open_tab

GAMES = ("fetaix", "felli_simplified", "awithlaknannai_mosona", "bagh_chal", "draughts_international", "fanorona")
"""Games with a whole table, leaps over drawn lines, drops and roles, kings that fly, and captures of rows."""

PDN = Path(__file__).parents[1] / "cases" / "pdn"

ON_THE_SERVER_ALONE = {"move-now", "checkpoints", "open"}
"""A bot of the static page cannot be told to move now, and there are no checkpoints."""


def test_every_request_that_the_page_makes_has_an_answer_and_a_body() -> None:
    asked = {"lessons", "puzzles"}  # named by the kind of exercise
    for file in Path("alquerque_env/web/static").glob("*.js"):
        asked |= set(re.findall(r'\bask\("([a-z-]+)"', file.read_text(encoding="utf-8")))
    assert asked == ANSWERS.keys() == BODIES.keys()
    assert ANSWERS.keys() == GAME_ANSWERS.keys() | MATCH_ANSWERS.keys() | ON_THE_SERVER_ALONE


def requests() -> Iterator[tuple[str, dict[str, object]]]:
    """Requests whose answers depend on no time and no chance."""
    yield "games", {}
    for name in GAMES:
        game = {"game": name}
        for request in ("rules", "card", "rule-pictures", "lessons", "puzzles"):
            yield request, game
        for turned in (False, True):
            yield "board", {**game, "turned": turned}
        match = random_match(name, seed=3, most=40)
        body = body_of(match)
        lines = [body_of(random_match(name, seed, 6))["steps"] for seed in range(3)]
        comment = {"steps": body["steps"][:1], "text": "so {begun}"}
        yield "match", {**body, "person": 1}
        yield "positions", {"match": {**body, "person": 1}, "counts": [6, 0, 3]}
        yield "variations", {"match": body, "variations": [*lines, ["x"]]}
        yield "picture", {"match": body, "turned": True}
        yield "link", body
        yield "open-link", {"link": format_link(match)}
        saved = {"match": body, "south": "Ann", "north": "mcts:5", "date": "2026.11.??", "headers": {"Event": "Fair"}}
        yield "save", {**saved, "variations": lines, "comments": [comment]}
        yield "save", {**saved, "comments": [{**comment, "text": "begun"}], "result": "1-0", "reason": "resigned"}
        text = str(Record(match, north="mcts:5", variations=[random_match(name, 1, 6).steps], headers={"Round": "2"}))
        yield "load", {"text": f"{text}\n{text.replace('*', '1-0')}\n[Game 1"}
    files = "\n".join((PDN / name).read_text(encoding="latin-1") for name in ("site.pdn", "federation.pdn"))
    for text in (files, "x" * 700_000, 20_000 * "{ x\n"):
        for is_last in (True, False):
            yield "load", {"text": text, "number": 6, "line": 40, "is_inside": False, "is_last": is_last}
    yield "turn", {"match": {"game": "fetaix", "start": "W:Wa1:Bb2,d4", "person": 0}, "bot": "random"}
    match = random_match("felli_simplified", seed=3)
    body = body_of(match)
    yield "missed", {"match": body, "players": [0, 1]}
    for since in (0, 2, len(match.steps)):
        yield "refute", {"match": {**body, "person": 0}, "since": since}
    for steps in range(0, len(match.steps) + 1, 3):
        asked = {**body, "steps": body["steps"][:steps], "person": 1}
        yield "analysis", {"match": asked, "evaluator": "exact", "seconds": 1}
    over = {"game": "fetaix", "start": "W:Wa1:B"}
    yield "turn", {"match": over, "bot": "random"}
    for evaluator in ("search", "exact", "mcts:5"):
        yield "analysis", {"match": over, "evaluator": evaluator, "seconds": 1}
    for wrong in ({"steps": ["c2-c3", "c2-c3"]}, {"steps": ["hello"]}, {"start": "W:Wz9:B"}):
        yield "match", {"game": "fetaix", **wrong}
    for link in ("fetaix;c2-c3.c2-c3", "hello"):
        yield "open-link", {"link": link}


DIFFERENT = {
    "games": {"games", "puzzles", "first", "seconds", "can_stop_bots", "tables"},  # what each page has
    "rules": {"levels", "evaluators", "strongest", "questions"},  # its bots, and the default rules alone
}


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("hosted") / "site"
    write_site(folder, [load_game(name) for name in GAMES], load_game("fetaix"))
    with hosted(folder) as host:
        page = open_tab(browser, host.address)
        yield page
        page.close()


@pytest.fixture(scope="module")
def host() -> ServerHost:
    return ServerHost(Catalogue(), BotPool({}, 1.0), [])


def answer(name: str, body: dict[str, object], host: ServerHost) -> dict[str, object]:
    """What the server answers."""
    try:
        found = ANSWERS[name](BODIES[name].model_validate(body).model_dump(), host)
    except AlquerqueError as error:
        found = show_error(error)
    return json.loads(json.dumps(found))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_static_page_answers_as_the_server(page: Page, host: ServerHost) -> None:
    asked = list(requests())
    assert {name for name, _ in asked} == BODIES.keys() - ON_THE_SERVER_ALONE - {"report"}
    for (name, body), found in zip(asked, ask(page, asked), strict=True):
        expected, different = answer(name, body, host), DIFFERENT.get(name, set())
        if different:
            expected, found = ({key: said[key] for key in said.keys() - different} for said in (expected, found))
        assert found == expected, (name, body)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_static_page_reports_as_the_server(page: Page, host: ServerHost) -> None:
    body = {"match": {**body_of(random_match("felli_simplified", seed=3)), "person": 1}}
    whole = []
    for answered in (lambda asked: answer("report", asked, host), lambda asked: ask(page, [("report", asked)])[0]):
        judged, report = [], None
        while report is None:
            part = answered({**body, "judged": judged})
            judged, report = [*judged, *part["judged"]], part["report"]
        whole.append((judged, report))
    assert whole[0] == whole[1]
    assert all(turn["is_exact"] for turn in whole[0][0] if turn["best"] is not None)
