"""The static page: its folder, and the page in a browser without a server."""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from alquerque_env import Match, format_link, load_bot, load_game
from alquerque_env.cli.main import main
from alquerque_env.engine.bundle.carried_game import Needed, evaluation_features as carried_features, read_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.browser_json import write_json
from alquerque_env.game import state_layout as STATE
from alquerque_env.search.static_evaluation import evaluation_features
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.tables import index_layout as INDEX
from alquerque_env.solve.tables.probe import CAPTURES
from alquerque_env.solve.tables.table import UnderLimit
from alquerque_env.web.evaluation_view import show_evaluation
from alquerque_env.web.match_view import show_match
from alquerque_env.web.site.carried_host import PERFECT
from alquerque_env.web.site.carried_tables import (
    add_table,
    carried_table,
    forget_missing,
    is_missing,
    place_of_code,
)
from alquerque_env.web.site.site_folder import ASKED_FOR, MARK, make_game, site_table, table_data, write_site
from tests.browser import BOTH_ENGINES, CHROMIUM
from tests.engine.micropython_constructs import CONSTRUCTS, as_programs, meant
from tests.full_disk import files_up_to
from tests.web.file_host import Host, ask, body_of, hosted, random_match
from tests.web.on_the_page import NO_STORAGE, open_tab, play, turns, wait_until_still

PLAYED = ("fetaix", "awithlaknannai_mosona", "draughts_international", "bagh_chal", "fanorona")
"""Games with leaps over drawn lines, kings that fly, drops, roles, and captures of rows."""

PDN = Path(__file__).parents[1] / "cases" / "pdn"
MICROPYTHON = Path("alquerque_env/web/site/micropython")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hosted") / "site"
    write_site(folder, [load_game(name) for name in PLAYED], load_game("fetaix"))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_writings_give_the_same_files(tmp_path: Path) -> None:
    games = [load_game("awithlaknannai_mosona"), load_game("bagh_chal")]  # with a table and without one
    for name in ("one", "other"):
        write_site(tmp_path / name, games, games[0])
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_a_browser_reads_the_step_table_of_a_large_board_as_it_is() -> None:
    """It has one kind of numbers: those above 2^53 are rounded."""
    game = load_game("tiger_game_forty")
    read = json.loads(write_json(make_game(game)), parse_int=lambda digits: int(float(digits)))["game"]
    assert max(game.table.words) > 2**53
    assert read_game(read).table.words == tuple(game.table.words)
    assert carried_features(read_game(read)) == tuple(evaluation_features(game))


def test_micropython_is_as_published(folder: Path) -> None:
    listed = dict(line.split()[::-1] for line in (MICROPYTHON / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    assert listed.keys() == {"micropython.js", "micropython.wasm"}
    for name, checksum in listed.items():
        assert hashlib.sha256((folder / "engine" / name).read_bytes()).hexdigest() == checksum
    assert "MIT License" in (folder / "engine" / "LICENSE.txt").read_text(encoding="utf-8")


def test_the_policy_allows_no_evaluation(folder: Path) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', (folder / "index.html").read_text())
    assert "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'" in policy
    assert "'unsafe-" not in policy


def test_every_file_but_tables_and_the_network_is_kept_for_later_visits(folder: Path) -> None:
    head = (folder / "service_worker.js").read_text(encoding="utf-8").partition("\n")[0]
    kept = json.loads(head.removeprefix("const SITE = ").removesuffix(";"))
    names = contents(folder).keys() - {"index.html", "service_worker.js", MARK}

    tables = {name for name in names if name.startswith("tables/")}
    assert tables == {f"tables/{name}.table" for name in PLAYED[:2]}
    network = {name for name in names if name.startswith("networks/")}
    assert network == {"networks/weights.safetensors", *(f"networks/{name}.json" for name in PLAYED)}
    assert {*kept["first"], *kept["later"]} == {"./", *(names - tables - network)}
    assert f"games/{PLAYED[0]}.json" in kept["first"]
    assert f"games/{PLAYED[1]}.json" in kept["later"]


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["site", *map(str, arguments)])
    return done.exit_code, done.output


def test_the_command_writes_the_games_that_are_named(tmp_path: Path) -> None:
    status, said = run(tmp_path / "play", "--game", "pretwa", "--game", "felli_simplified")

    assert status == 0, said
    assert "python3 -m http.server" in said
    listed = json.loads((tmp_path / "play" / "games.json").read_text(encoding="utf-8"))
    assert [game["id"] for game in listed["games"]] == ["pretwa", "felli_simplified"]
    assert listed["first"] == "pretwa"
    assert {path.name for path in (tmp_path / "play" / "games").iterdir()} == {"pretwa.json", "felli_simplified.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["play"]


def test_a_static_page_is_replaced_and_other_files_are_not(tmp_path: Path) -> None:
    site, other, file = tmp_path / "site", tmp_path / "other", tmp_path / "file"
    site.mkdir()
    other.mkdir()
    (other / "thesis.txt").write_text("mine", encoding="utf-8")
    file.write_text("mine", encoding="utf-8")
    game = load_game("felli_simplified")
    write_site(site, [game], game)
    (site / "games" / "old.json").write_text("{}", encoding="utf-8")
    write_site(site, [game], game)

    assert not (site / "games" / "old.json").exists()
    for folder, said in ((other, "has other files in it, which are not replaced"), (file, "is not a folder")):
        before = contents(tmp_path)
        status, output = run(folder, "--game", "felli_simplified")
        assert (status, said in output, "\n" in output.strip()) == (2, True, False), output
        with pytest.raises(AlquerqueError, match=said):
            write_site(folder, [game], game)
        assert contents(tmp_path) == before


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    game = load_game("felli_simplified")
    write_site(tmp_path / "site", [game], game)
    before = contents(tmp_path)
    for folder in (tmp_path / "site", tmp_path / "new"):
        with files_up_to(200_000), pytest.raises(OSError, match=re.escape(str(folder))):
            write_site(folder, [game], game)
    assert contents(tmp_path) == before


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    with hosted(folder) as host:
        yield host


@pytest.fixture
def page(browser: Browser, host: Host) -> Iterator[Page]:
    """The page after its first match has begun; its console stays empty."""
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(host.address)
    wait_until_still(page)
    yield page
    page.close()
    assert said == []


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", PLAYED)
def test_a_hundred_matches_are_those_of_python(page: Page, name: str) -> None:
    """What the page shows of matches, and their links."""
    matches = [random_match(name, seed) for seed in range(100)]
    asked = [request for match in matches for request in (("match", body_of(match)), ("link", body_of(match)))]
    answers = iter(ask(page, asked))
    for match in matches:
        assert next(answers) == json.loads(json.dumps(show_match(match)))
        assert next(answers)["link"] == format_link(match)


def table_positions(name: str, count: int, seed: int) -> list[Match]:
    """Positions of the table of the page, with random plies without progress, and some turns in progress."""
    game, generator = load_game(name), np.random.default_rng(seed)
    table, limit = site_table(game), game.rules.no_progress_limit
    found: list[Match] = []
    while len(found) < count:
        for state in table.sample(count, generator):
            state[STATE.QUIET] = 0 if limit == "off" else generator.integers(limit) * (generator.random() < 0.7)
            match = Match(game, Match.from_state(game, state).position)
            if match.is_over:
                continue
            found.append(match)
            after = match.copy()
            after.push(match.legal_steps[0])
            if after.turn_goes_on:
                found.append(Match(game, after.position))
    return found[:count]


TABLED = ("fetaix", "felli_simplified", "tiger_and_buffaloes", "alquerque", "draughts_english")
"""Games with tables: of few pieces and whole ones, with sides that differ, with steps not to be undone, with kings."""


@pytest.fixture(scope="module")
def folder_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "site"
    write_site(folder, [load_game(name) for name in TABLED], load_game("fetaix"))
    return folder


@pytest.fixture
def page_with_tables(browser: Browser, folder_with_tables: Path) -> Iterator[tuple[Page, Host]]:
    with hosted(folder_with_tables) as host:
        page = open_tab(browser, host.address)
        yield page, host
        page.close()


@pytest.mark.parametrize("name", ["felli_simplified", "tiger_and_buffaloes", "high_jump"])
def test_the_page_is_told_which_values_hold_under_the_limit(name: str) -> None:
    """A table in the page knows this from a list, that of the package works it out."""
    table = site_table(load_game(name))
    header = json.loads(gzip.decompress(table_data(table, ((), b""))).partition(b"\n")[0])
    under_limit, generator = UnderLimit(table.index, table.header.groups), np.random.default_rng(3)
    limit = table.game.rules.no_progress_limit
    codes = generator.choice(table.header.codes, 2_000).astype(np.int16)
    places = generator.integers(-1, len(table.index.slices), 2_000)
    clocks = generator.integers(1 if limit == "off" else limit + 1, size=2_000)
    rows = np.where(places < 0, CAPTURES, INDEX.HEAD + INDEX.ROW_SIZE * places)
    told = [
        clock <= header["latest"][place][place_of_code(code)]
        for code, place, clock in zip(codes.tolist(), places, clocks, strict=True)
    ]
    assert told == under_limit.holds(codes, clocks, rows).tolist()


def test_the_page_has_the_codes_of_the_table() -> None:
    table = site_table(load_game("tiger_and_buffaloes"))
    text, _, places = gzip.decompress(table_data(table, ((), b""))).partition(b"\n")
    codes = json.loads(text)["codes"]
    assert [codes[place] for place in places] == table.codes.tolist()


def test_the_page_has_the_largest_table_that_it_can_hold() -> None:
    found = {name: site_table(load_game(name)) for name in ("felli_simplified", "pretwa", "fetaix", "fanorona")}
    assert {name: table and table.pieces for name, table in found.items()} == {
        "felli_simplified": 12,
        "pretwa": 8,  # its whole table has 93 million numbers
        "fetaix": 4,
        "fanorona": None,
    }


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", TABLED)
def test_exact_values_are_those_of_python(page_with_tables: tuple[Page, Host], name: str) -> None:
    page, host = page_with_tables
    assert not [path for path in host.sent if ".table" in path]
    table = site_table(load_game(name))
    matches = table_positions(name, 300, seed=5)
    asked = [{**body_of(match), "start": match.position} for match in matches]
    answers = ask(page, [("analysis", {"match": body, "evaluator": "exact", "seconds": 1}) for body in asked])
    for match, answer in zip(matches, answers, strict=True):
        match.table = table
        expected = show_evaluation(match, exact_steps(match, table, None), None, "")
        assert answer == json.loads(json.dumps(expected)), match.position
    assert [path.rpartition("/")[2] for path in host.sent if ".table" in path] == [f"{name}.table"]


def test_a_table_that_could_not_be_fetched_is_asked_for_again() -> None:
    game = SimpleNamespace(name="lost", has_table=True)
    for _ in range(2):
        with pytest.raises(Needed):
            carried_table(game)
        add_table(game, "", None)
        assert carried_table(game) is None
        assert is_missing(game)
        forget_missing()
    assert not is_missing(SimpleNamespace(name="other", has_table=False))


@pytest.mark.slow
@needs_browser
def test_without_its_table_the_page_searches_and_says_so_and_asks_again(page_with_tables: tuple[Page, Host]) -> None:
    page, host = page_with_tables
    body = {"match": body_of(Match("felli_simplified"))}
    turn = "turn", {**body, "bot": "perfect"}
    exact, search = (("analysis", {**body, "evaluator": each, "seconds": 1}) for each in ("exact", "alphabeta:1"))
    ask(page, [("turn", {**body, "bot": "random"})])  # loads the engine that searches
    host.is_down = True
    played, unknown, searched = ask(page, [turn, exact, search])
    assert played["note"] == "searched, no table or proof reaches; the table could not be fetched"
    assert unknown["table"] == "The table could not be fetched."
    assert searched["value"] is not None
    host.is_down = False
    played, known = ask(page, [turn, exact])
    assert played["note"].startswith("exact: ")
    assert "could not" not in known["exact"] != ""


def test_what_the_page_says_of_the_level_perfect_holds_without_the_table() -> None:
    (perfect,) = [
        level for level in make_game(load_game("felli_simplified"))["rules"]["levels"] if level["spec"] == PERFECT
    ]
    assert "Where the table cannot be fetched, it searches" in perfect["about"]
    assert make_game(load_game("alquerque"))["rules"]["strongest"] == "perfect"
    assert "perfect" not in [level["spec"] for level in make_game(load_game("pretwa"))["rules"]["levels"]]


def test_trained_is_the_network_for_all_games_and_says_what_it_fetches(folder: Path) -> None:
    for name in ("fetaix", "bagh_chal"):  # with a trained bot of its own and without one
        rules = make_game(load_game(name))["rules"]
        (trained,) = [level for level in rules["levels"] if level["name"] == "Trained"]
        assert trained["spec"] == "family:64"
        assert trained["spec"] not in rules["evaluators"]
        size = sum((folder / "networks" / file).stat().st_size for file in (f"{name}.json", "weights.safetensors"))
        told = int(re.search(r"(\d+) kB are fetched once", trained["about"])[1])
        assert size <= 1000 * told < size + 10_000
    assert "Trained" not in [level["name"] for level in make_game(load_game("zamma"))["rules"]["levels"]]


@pytest.mark.slow
@needs_browser
def test_the_level_perfect_plays_by_the_whole_table(page_with_tables: tuple[Page, Host]) -> None:
    page, _ = page_with_tables
    game = load_game("felli_simplified")
    table = site_table(game)
    positions = [match for seed in range(12) if not (match := random_match(game.name, seed, 2 + 2 * seed)).is_over]
    answers = ask(page, [("turn", {"match": body_of(match), "bot": "perfect"}) for match in positions])
    for match, answer in zip(positions, answers, strict=True):
        known = {found.step.text: (found.value, found.distance) for found in table.steps(match)}
        assert known[answer["steps"][0]["text"]] == (table.steps(match)[0].value, table.steps(match)[0].distance)
        assert answer["note"].startswith("exact: ") or len(match.legal_steps) == 1
    (rules,) = ask(page, [("rules", {"game": game.name, "options": {}})])
    assert rules["levels"][-1]["spec"] == rules["strongest"] == "perfect"


@pytest.mark.slow
@needs_browser
def test_the_level_perfect_plays_by_the_proof(page_with_tables: tuple[Page, Host]) -> None:
    page, _ = page_with_tables
    match, notes = Match("alquerque"), Counter[str]()
    bots = load_bot("perfect", match.game, seed=0), load_bot("alphabeta:5", match.game, seed=1)
    while not match.is_over:
        step = bots[match.player].choose(match)
        if match.player == 0:
            (turn,) = ask(page, [("turn", {"match": body_of(match), "bot": "perfect"})])
            if bots[0].note.startswith("proved"):
                assert (turn["steps"][0]["text"], turn["note"]) == (step.text, bots[0].note)
            notes[turn["note"].partition(" in ")[0]] += 1
        match.push(step)
    assert match.outcome.winner == 0
    assert min(notes["proved: wins"], notes["exact: wins"]) > 2


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", ["fetaix", "draughts_international", "bagh_chal"])
def test_alpha_beta_finds_the_values_of_python(page: Page, name: str) -> None:
    matches = [random_match(name, seed, 10 + 5 * seed) for seed in range(5)]
    matches = [match for match in matches if not match.is_over]
    answers = ask(
        page, [("analysis", {"match": body_of(match), "evaluator": "alphabeta:1", "seconds": 2}) for match in matches]
    )
    for match, answer in zip(matches, answers, strict=True):
        analysis = load_bot("alphabeta:1", match.game, seed=0, tables=False).analyse(match, all_steps=True)
        expected = show_evaluation(match, exact_steps(match, None, None), analysis, "")
        values = [{each["step"]["text"]: each["value"] for each in found["candidates"]} for found in (answer, expected)]
        assert values[0] == pytest.approx(values[1], abs=1e-3)


@pytest.mark.slow
@needs_browser
def test_what_is_rewritten_for_micropython_means_the_same_there(browser: Browser, tmp_path: Path, folder: Path) -> None:
    programs = as_programs(tmp_path)
    with hosted(folder) as host:
        page = browser.new_page()
        page.goto(f"{host.address}engine/LICENSE.txt")
        found = page.evaluate(
            """async (programs) => {
              const { loadMicroPython } = await import(new URL("micropython.js", location.href));
              const python = await loadMicroPython({ heapsize: 4_000_000, pystack: 16_384 });
              return programs.map((program) => {
                python.runPython(program);
                return python.globals.get("run")();
              });
            }""",
            list(programs.values()),
        )
        page.close()
    for name, text in zip(programs, found, strict=True):
        assert json.loads(text) == meant(CONSTRUCTS[name]), name


@pytest.mark.slow
@needs_browser
def test_what_the_page_does_not_have_is_refused_in_a_sentence(page: Page) -> None:
    options = {"game": "fetaix", "options": {"chain": "optional"}}
    refused = {
        "default rules": [
            *(("rules", options), ("match", {**options, "start": None, "steps": []})),
            ("open-link", {"link": "fetaix;chain=optional;c2-c3"}),
        ],
        "No game 'checkers'": [("open-link", {"link": "checkers;c2-c3"})],
        "No game 'fetaxi'; did you mean 'fetaix'?": [("open-link", {"link": "fetaxi;c2-c3"})],
    }
    for said, asked in refused.items():
        for answer in ask(page, asked):
            assert said.lower() in answer["error"].lower()
    page.evaluate("location.hash = 'hello'")
    expect(page.locator("#problem")).to_contain_text("is no link", timeout=20_000)
    page.evaluate("location.hash = 'bagh_chal;@a2'")
    expect(page.locator("#title")).to_have_text("Bagh-Chal", timeout=20_000)
    expect(page.locator("#problem")).to_be_empty()


@pytest.mark.slow
@needs_browser
def test_where_no_table_knows_a_kept_match_the_page_says_what_can_be_played(page: Page) -> None:
    match = {"game": "bagh_chal", "options": {}, "start": None, "steps": ["@a2"]}
    state = json.dumps({"id": "x", "seats": ["random", "human"], "match": match})
    page.evaluate("state => localStorage.setItem('alquerque.match.x', state)", state)
    page.click("#open-puzzles")
    page.click("#exercise-own")
    expect(page.locator("#exercise-status")).to_contain_text(
        f"This page has tables of {', '.join(load_game(name).title for name in PLAYED[:2])}: play one", timeout=20_000
    )


@pytest.mark.slow
@needs_browser
@BOTH_ENGINES
def test_after_the_first_visit_the_page_needs_no_network(page: Page, host: Host) -> None:
    kept = """async () => {
      const names = await caches.keys();
      const all = names.length ? await (await caches.open(names[0])).keys() : [];
      return all.length;
    }"""
    # Tables and the network are kept when a game asks for them; the service worker and the mark of the folder are not.
    files = len([name for name in contents(host.folder) if not name.startswith(ASKED_FOR)]) - 2
    for _ in range(200):
        if page.evaluate(kept) == files:
            break
        page.wait_for_timeout(100)
    assert page.evaluate(kept) == files
    host.is_down = True
    page.reload()
    wait_until_still(page)
    page.evaluate("location.hash = 'bagh_chal;@a2'")
    expect(page.locator("#title")).to_have_text("Bagh-Chal", timeout=20_000)
    expect(page.locator("#turns")).to_contain_text("@a2")


@pytest.mark.slow
@needs_browser
def test_a_new_version_takes_the_place_of_the_old_one(browser: Browser, tmp_path: Path) -> None:
    game = load_game("felli_simplified")
    write_site(tmp_path / "site", [game], game)
    with hosted(tmp_path / "site") as host:
        page = browser.new_page()
        page.goto(host.address)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        wait_until_still(page)
        write_site(tmp_path / "site", [load_game("pretwa")], load_game("pretwa"))
        page.evaluate(
            """async () => {
              const registration = await navigator.serviceWorker.ready;
              await registration.update();
              while (!registration.waiting) await new Promise((done) => setTimeout(done, 50));
            }"""
        )
        page.evaluate("sessionStorage.clear(); localStorage.clear()")
        page.goto("about:blank")
        page.goto(host.address)
        expect(page.locator("#title")).to_have_text("Pretwa", timeout=20_000)
        page.close()


@pytest.mark.slow
@needs_browser
def test_a_browser_that_cannot_play_says_so_and_one_that_keeps_nothing_plays(browser: Browser, host: Host) -> None:
    for before, field, said in (
        ("delete globalThis.WebAssembly", "#problem", "This browser cannot play: it has no WebAssembly"),
        (NO_STORAGE, "#status", "Your turn."),
    ):
        page = browser.new_page()
        page.add_init_script(before)
        page.goto(host.address)
        expect(page.locator(field)).to_contain_text(said, timeout=20_000)
        page.close()


@pytest.mark.slow
@needs_browser
def test_a_game_that_the_page_has_not_is_refused_in_its_own_match_of_a_file(page: Page) -> None:
    text = "".join((PDN / name).read_text() for name in ("checkers.pdn", "site.pdn"))
    (answer,) = ask(page, [("load", {"text": text})])
    assert [match.get("problem", "")[:37] for match in answer["matches"]] == [
        *("match 1, line 1: no game 'draughts_en", "match 2, line 11: no game 'draughts_e"),
        *("match 3, line 21: no game 'draughts_e", "", "", "match 6, line 57: Russian draughts, G", "", ""),
    ]


@pytest.mark.slow
@needs_browser
def test_the_first_visit_is_small(browser: Browser, host: Host) -> None:
    with browser.new_context(service_workers="block") as context:  # which would fetch the other games
        page = open_tab(context, host.address)
        play(page, "c2", "c3")
        wait_until_still(page)
        assert len(turns(page)) == 2
        sent = sum(host.sent.values())
    assert sent < 410_000
