"""What the page says to those who do not see it, and what it sounds like."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import CHROMIUM
from tests.web.on_the_page import begin, open_page, play, spot

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

# Notes the times of the clicks of wood on the root element.
NOTED = """
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (time) {
  document.documentElement.dataset.clicks = Number(document.documentElement.dataset.clicks ?? 0) + 1;
  return start.call(this, time);
};
"""


@pytest.fixture
def moving(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address, slow=True, before=NOTED)


@pytest.fixture
def still(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address, before=NOTED)


def clicks(page: Page) -> object:
    return page.locator("html")


def test_a_move_clicks_once_and_a_capture_twice_until_it_is_switched_off(moving: Page) -> None:
    begin(moving, "alquerque_murray", north="Person")
    play(moving, "c2", "c3")
    expect(clicks(moving)).to_have_attribute("data-clicks", "1")
    play(moving, "c4", "c2")
    expect(clicks(moving)).to_have_attribute("data-clicks", "3")
    moving.get_by_role("button", name="Sound", pressed=True).click()
    play(moving, "c1", "c3")
    expect(moving.locator("#turns button")).to_have_count(3)
    expect(clicks(moving)).to_have_attribute("data-clicks", "3")
    moving.reload()
    expect(moving.get_by_role("button", name="Sound", pressed=False)).to_be_visible()


def test_where_motion_is_reduced_there_is_no_sound_at_first(still: Page) -> None:
    begin(still, "alquerque_murray", north="Person")
    play(still, "c2", "c3")
    expect(still.locator("#turns button")).to_have_count(1)
    expect(clicks(still)).not_to_have_attribute("data-clicks", "1")
    still.keyboard.press("v")
    expect(clicks(still)).to_have_attribute("data-clicks", "1")  # so it sounds


def test_the_position_and_what_can_move_are_read(page: Page) -> None:
    begin(page, "fetaix", north="Person", position="W:WKa1,b2:Bc3,e5")
    spoken = page.locator("#spoken")
    page.keyboard.press("o")
    expect(spoken).to_contain_text("South man: b2. South mullah: a1. North man: c3, e5. Empty: b1, c1,")
    page.keyboard.press("c")
    expect(spoken).to_have_text("b2 takes c3 to d4.")
    play(page, "b2", "d4")
    begin(page, "bagh_chal", north="Easy")
    page.keyboard.press("o")
    expect(spoken).to_contain_text("in hand.")
    page.click("#open-lessons")
    expect(page.locator("#exercise .spot").first).to_be_visible()
    page.keyboard.press("c")
    expect(spoken).to_contain_text("Drop on ")


def test_the_first_key_leads_to_the_board(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="To the board")).to_be_focused()
    page.keyboard.press("Enter")
    expect(spot(page, "a1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(spot(page, "b1")).to_be_focused()
