"""What is open over the match is in the history of the browser, and lessons and puzzles have addresses."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from alquerque_env import load_game
from alquerque_env.exercises.lessons import load_lessons, task
from alquerque_env.exercises.puzzle_set import load_puzzles
from tests.browser import CHROMIUM
from tests.web.on_the_page import LEFT, begin, open_page, play, turns, wait_until_still

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address, permissions=["clipboard-read", "clipboard-write"])


def go_to(page: Page, hash_: str) -> None:
    page.evaluate("(hash) => { location.hash = hash; }", hash_)


@pytest.mark.parametrize("dialog", ["setup", "rules", "record", "keys"])
def test_a_step_back_closes_a_dialog_and_one_that_is_closed_leaves_no_entry(page: Page, dialog: str) -> None:
    address = page.url
    for closed in ("button", "Escape", "back"):
        page.click(f"#open-{dialog}")
        expect(page.locator(f"#{dialog}")).to_be_visible()
        if closed == "back":
            page.go_back()
        elif closed == "Escape":
            page.keyboard.press("Escape")
        else:
            page.locator(f"#{dialog} .closing button").last.click()
        expect(page.locator(f"#{dialog}")).to_be_hidden()
        page.evaluate(LEFT)
    assert page.url == address


def test_a_step_back_closes_lessons_and_puzzles_and_a_step_on_opens_them_again(page: Page) -> None:
    address = page.url
    page.click("#open-lessons")
    expect(page).to_have_url(f"{address}#learn/alquerque/1")
    page.click("#exercise-next")
    expect(page).to_have_url(f"{address}#learn/alquerque/2")
    page.click("#open-rules")
    expect(page.locator("#rules")).to_be_visible()
    page.go_back()
    expect(page.locator("#rules")).to_be_hidden()
    expect(page.locator("#exercise")).to_be_visible()
    page.go_back()
    expect(page.locator("#exercise")).to_be_hidden()
    expect(page).to_have_url(address)
    page.go_forward()
    expect(page.locator("#exercise-task")).to_have_text(task(load_game("alquerque"), load_lessons("alquerque")[1]))
    page.reload()
    expect(page.locator("#exercise-task")).to_have_text(task(load_game("alquerque"), load_lessons("alquerque")[1]))
    page.click("#exercise-close")
    expect(page).to_have_url(address)
    begin(page, "fetaix", north="Person")
    page.click("#open-puzzles")
    page.click("#open-setup")
    page.click("#begin")
    expect(page.locator("#table")).to_be_visible()
    expect(page).to_have_url(address)


def test_the_address_of_a_puzzle_opens_it_and_is_copied(page: Page, address: str) -> None:
    begin(page, "alquerque_murray", north="Person")
    play(page, "c2", "c3")
    go_to(page, "puzzle/fetaix/17")
    expect(page.locator("#exercise-title")).to_have_text("Puzzle: Fetaix")
    expect(page.locator("#exercise-game")).to_have_value("fetaix")
    puzzle = load_puzzles("fetaix").puzzles[16]
    expect(page.locator("#exercise-facts")).to_contain_text(f"Won in {puzzle.distance} turns")
    page.wait_for_selector("#exercise-field[aria-busy=false]", state="attached")
    page.click("#copy-link")
    expect(page.locator("#copy-link")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}#puzzle/fetaix/17"
    page.click("#exercise-close")
    expect(page).to_have_url(address)
    wait_until_still(page)
    assert turns(page) == ["c2-c3"]


@pytest.mark.parametrize(
    ("hash_", "said"),
    [
        ("puzzle/fetaix/99999", f"Fetaix has {len(load_puzzles('fetaix').puzzles)} puzzles, and no number 99999."),
        ("learn/fetaix/6", "Fetaix has 5 lessons, and no number 6."),
        ("puzzle/bagh_chal", "There are no puzzles of Bagh-Chal. This one is of "),
        ("learn/ludo/1", 'This page has no game "ludo". This one is of Alquerque (piece'),
    ],
)
def test_a_wrong_address_is_told_in_a_sentence(page: Page, hash_: str, said: str) -> None:
    go_to(page, hash_)
    expect(page.locator("#exercise-status")).to_contain_text(said)
    expect(page.locator("#exercise .spot").first).to_be_visible()
