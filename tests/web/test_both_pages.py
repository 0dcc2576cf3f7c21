"""What the page of the server and the static page both do, in a real browser: all games, and a match that is over."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from alquerque_env import games, load_game
from alquerque_env.web.site.site_folder import write_site
from tests.browser import BOTH_ENGINES, CHROMIUM
from tests.lost_match import LOST_RECORD
from tests.web.file_host import hosted
from tests.web.on_the_page import begin, load, move_somehow, open_page, play, report, turns, wait_until_still

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    BOTH_ENGINES,
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("hosted") / "site"
    write_site(folder, [load_game(name) for name in games()], load_game("fetaix"))
    with hosted(folder) as host:
        yield host.address


@pytest.fixture(params=["address", "site"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    yield from open_page(browser, request.getfixturevalue(request.param), service_workers="block")


def test_a_person_and_a_bot_play_a_turn_of_every_game(page: Page) -> None:
    for name in games():
        begin(page, name)
        expect(page.locator("#title")).to_have_text(load_game(name).title)
        while len(turns(page)) < 2:
            move_somehow(page)
        expect(page.locator("#problem")).to_be_empty()


def test_a_match_is_walked_through_and_a_puzzle_has_an_address(page: Page) -> None:
    load(page, LOST_RECORD)
    page.locator("#turn").focus()
    for turn in turns(page)[-2::-1]:
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#turns [aria-current]")).to_have_text(turn)
    page.evaluate("location.hash = 'puzzle/fetaix/17'")
    expect(page.locator("#exercise-title")).to_have_text("Puzzle: Fetaix")
    expect(page).to_have_url(re.compile("#puzzle/fetaix/17$"))
    page.evaluate("history.back()")
    expect(page.locator("#turns [aria-current]")).to_have_text(turns(page)[0])


def test_the_proof_of_a_solved_game_is_walked_from_its_start(page: Page) -> None:
    load(page, '[Game "alquerque"]\n\n1. d2-c3 *\n')
    page.click("#open-rules")
    page.locator("#rules").get_by_text("Analyse from the start").click()
    rows = page.locator("#candidates tbody tr")
    expect(rows.filter(has_text="c2-c3")).to_contain_text("wins")
    expect(rows.filter(has_text="d2-c3")).not_to_contain_text("wins")
    play(page, "c2", "c3")
    expect(rows.filter(has_text="c4xc2")).to_contain_text("loses")


def test_a_mistake_of_a_match_that_is_over_is_analysed_by_every_evaluator(page: Page) -> None:
    load(page, LOST_RECORD.replace("human", "Ann").replace("random", "Bob").replace("c5xc3xe1 0-1", "*"))
    play(page, "c5", "c3", "e1")
    report(page)
    page.locator("#mistakes button").first.click()
    wait_until_still(page)
    page.check("#analyse")
    for evaluator in ("Search", "Exact", "Easy"):
        page.select_option("#evaluator", label=evaluator)
        expect(page.locator("#candidates tbody tr").first).to_be_visible()
        curve = page.locator("#curve .values")
        expect(curve).to_have_attribute("d", re.compile("^[^L]*(L[^L]*){18}$"))  # the start and 18 turns
    page.click("#last")
    expect(page.locator("#depth")).to_have_text("North wins: South has no pieces left.")


def sent(page: Page) -> str:
    """The link to the friend."""
    page.click("#send")
    expect(page.locator("#problem")).to_contain_text("The link is copied.")
    page.press("#typed-move", "ControlOrMeta+V")
    link = page.input_value("#typed-move")
    page.fill("#typed-move", "")
    return link


def test_two_friends_play_by_links_in_turn(page: Page, browser: Browser) -> None:
    ann, bob, stranger = page, *(browser.new_page(service_workers="block", reduced_motion="reduce") for _ in range(2))
    for each in (ann, bob, stranger):
        each.on("dialog", lambda dialog: dialog.accept())
    page.locator("#south-called").evaluate("(field) => { field.value = 'Ann <b>'; }")
    begin(page, "fetaix", north="A friend, by link")
    links: list[str] = []
    for mover, reader, points in ((ann, bob, "c2 c3"), (bob, ann, "c4 c2"), (ann, bob, "c1 c3")):
        play(mover, *points.split())
        links.append(sent(mover))
        expect(mover.locator('.spot[aria-label*="can move"]')).to_have_count(0)
        reader.goto(links[-1])
        expect(reader.locator("#turns button")).to_have_count(len(links))
        expect(reader.locator("#status")).to_contain_text("Your turn.")
    expect(bob.locator("#seat-0 option:checked")).to_have_text("Ann <b>")
    bob.goto(links[0])
    expect(bob.locator("#problem")).to_contain_text("older than your match")
    assert len(turns(bob)) == len(links)
    bob.click("#problem button")
    expect(bob.locator("#turns [aria-current]")).to_have_text("c2-c3")
    bob.click("#last")
    bob.click("#resign")
    links.append(sent(bob))
    ann.goto(links[-1])
    expect(ann.locator("#status")).to_have_text("You win: your friend resigned.")
    stranger.goto(links[-1])
    expect(stranger.locator("#problem")).to_contain_text("The match of this link is over.")
    assert turns(stranger) == []
    bob.close()
    stranger.close()
