"""Links to matches on the page of the server."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from alquerque_env import Match, read_link
from tests.browser import CHROMIUM
from tests.web.on_the_page import open_tab

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

TURNS = ("c2-c3", "c4xc2", "c1xc3")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{address}#fetaix;{'.'.join(TURNS)}")
    expect(page.locator("#turns")).to_contain_text(TURNS[-1], timeout=20_000)
    yield page
    page.close()


def copied(page: Page, button: str) -> Match:
    """The match of the link that a button copies."""
    page.click(button)
    expect(page.locator(button)).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(page.url.partition("#")[0] + "#fetaix;")
    return read_link(link)


def test_a_link_opens_its_match_leaves_the_address_and_is_copied(page: Page, address: str) -> None:
    expect(page.locator("#title")).to_have_text("Fetaix")
    assert page.url == address
    assert copied(page, "#copy-link").turns == TURNS
    expect(page.locator("#copy-link-after")).to_be_hidden()
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#resign")
    assert copied(page, "#copy-link-after").turns == TURNS


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("fetaix;c2-c3.c2-c3", "The link leads to no match of Fetaix"),
        ("100%", "is no link to a match"),
        ("checkers;c2-c3", "No game 'checkers'"),
        ("fetaix;c2-c3.c4xc2&to=south&sum=1", "This link was changed on its way"),
        (f"fetaix;c2-c3&to=north&north={9000 * 'B'}", "more than 8 kB"),
        ("fetaix;c2-c3", "This link is older than your match"),
    ],
)
def test_a_wrong_link_is_told_in_a_sentence_and_the_match_stays(page: Page, link: str, said: str) -> None:
    page.evaluate("(link) => { location.hash = link; }", link)
    expect(page.locator("#problem")).to_contain_text(said, timeout=20_000)
    page.reload()
    expect(page.locator("#turns")).to_contain_text(TURNS[-1], timeout=20_000)


def test_a_link_with_options_is_opened_from_a_lesson_too(page: Page) -> None:
    page.click("#open-lessons")
    expect(page.locator("#exercise")).to_be_visible()
    page.evaluate("location.hash = 'fetaix;chain=optional;W:Wa1,c3:Be5,c4;c3xc5'")
    expect(page.locator("#turns")).to_contain_text("c3xc5", timeout=20_000)
    expect(page.locator("#changed")).to_have_text("1 rule changed")
    expect(page.locator("#board")).to_be_visible()


def test_a_link_to_a_match_against_a_bot_is_played_on_against_it(page: Page, browser: Browser) -> None:
    page.select_option("#seat-1", label="Bot: Beginner")
    expect(page.locator("#turns button")).to_have_count(4)
    page.click("#copy-link")
    expect(page.locator("#copy-link")).to_have_text("Copied")
    other = open_tab(browser, page.evaluate("navigator.clipboard.readText()"))
    other.click("text=Play on against it")
    expect(other.locator("#seat-1 option:checked")).to_have_text("Bot: Beginner")
    other.close()
