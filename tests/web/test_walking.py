"""A walk through a match, and through what the analysis expects, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import CHROMIUM
from tests.web.file_host import random_match
from tests.web.on_the_page import begin, load, play, spot, turns, wait_until_still

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

TREE = '[Game "alquerque_murray"]\n\n1. c2-c3 (1. d2-c3 b4xd2) 1... c4xc2 2. c1xc3 *'


def now(page: Page) -> object:
    return page.locator("#turns [aria-current]")


def asked_of(page: Page) -> list[str]:
    """The names of requests from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    return asked


def test_arrows_step_through_the_match_after_a_pointer_and_walk_on_the_board_after_tab(page: Page) -> None:
    load(page, TREE)
    spot(page, "e5").click()
    page.keyboard.press("ArrowLeft")
    expect(now(page)).to_have_text("c4xc2")
    expect(spot(page, "e5")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(spot(page, "e5")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(spot(page, "d5")).to_be_focused()
    expect(now(page)).to_have_text("c4xc2")
    spot(page, "e5").click()
    page.keyboard.press("ArrowRight")
    expect(now(page)).to_have_text("c1xc3")
    spot(page, "b4").focus()
    page.keyboard.press("Enter")  # who plays by keys walks by keys
    page.keyboard.press("ArrowLeft")
    expect(spot(page, "a4")).to_be_focused()


def test_a_walk_needs_no_request_for_a_step(page: Page) -> None:
    match = random_match("draughts_international", 5, 60)
    page.evaluate("(link) => { location.hash = link; }", f"draughts_international;{'.'.join(match.turns)}")
    expect(page.locator("#turns button")).to_have_count(len(match.turns))
    wait_until_still(page)
    asked = asked_of(page)
    page.locator("#turn").focus()
    for key, end in (("ArrowLeft", "#back"), ("ArrowRight", "#forward")):
        for _ in range(20 * len(match.turns)):  # held down
            page.keyboard.down(key)
            if page.locator(end).is_disabled():
                break
        page.keyboard.up(key)
        expect(page.locator(end)).to_be_disabled()
    expect(now(page)).to_have_text(match.turns[-1])
    assert set(asked) == {"positions"}
    assert len(asked) < len(match.turns) / 4


def test_the_wheel_over_the_board_steps_and_the_match_of_a_tab_is_shown_again_as_it_was(page: Page) -> None:
    load(page, TREE)
    page.locator("#board").hover()
    page.mouse.wheel(0, -100)
    expect(now(page)).to_have_text("c4xc2")
    wait_until_still(page)
    page.reload()
    wait_until_still(page)
    expect(now(page)).to_have_text("c4xc2")
    page.locator("#board").dispatch_event("wheel", {"deltaY": 100, "ctrlKey": True})  # enlarges the page
    expect(now(page)).to_have_text("c4xc2")
    page.locator("#board").hover()
    page.mouse.wheel(0, 100)
    expect(now(page)).to_have_text("c1xc3")


def test_control_and_z_take_back_and_undo_and_flip_are_told(page: Page) -> None:
    begin(page, "alquerque_murray", north="Easy")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(2)
    wait_until_still(page)
    answer = turns(page)[1]
    page.keyboard.press("m")
    page.keyboard.press("Control+z")  # of the field
    expect(page.locator("#turns button")).to_have_count(2)
    page.locator("#turn").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#turns button")).to_have_count(0)
    expect(page.locator("#status .heard")).to_have_text(f"Taken back: c2-c3 and {answer}.")
    page.keyboard.press("f")
    expect(page.locator("#status .heard")).to_have_text("The board is turned: North is at the bottom.")


def test_a_line_is_pointed_at_and_becomes_a_variation(page: Page) -> None:
    begin(page, "alquerque_murray", north="Person")
    play(page, "c2", "c3", "c4", "c2")
    page.check("#analyse")
    lines = page.locator("#lines li")
    expect(lines).to_have_count(3)
    expect(lines.first).to_contain_text("level")
    way = page.locator(".arrows .head")
    best = way.get_attribute("d")
    row = page.locator("#candidates tbody tr").nth(1)
    row.hover()
    expect(way).not_to_have_attribute("d", best)
    page.locator("#turns-title").hover()
    expect(way).to_have_attribute("d", best)
    row.get_by_role("button").focus()
    expect(way).not_to_have_attribute("d", best)
    line = [lines.first.get_by_role("button").nth(place).inner_text() for place in range(2)]
    lines.first.get_by_role("button", name=line[1]).click()
    expect(page.locator("#status")).to_contain_text("Variation.")
    expect(page.locator(".variations button")).to_have_text(line)
    assert turns(page)[:2] == ["c2-c3", "c4xc2"]


def test_a_deeper_search_takes_longer_and_keeps_what_is_known_meanwhile(page: Page) -> None:
    begin(page, "alquerque_murray", north="Person")
    page.check("#analyse")
    deeper = page.locator("#deeper")
    expect(deeper).to_have_text("Deeper (2 s)")  # four times what this server gives to a search
    with page.expect_request("**/api/analysis") as asked:
        deeper.click()
    assert asked.value.post_data_json["seconds"] == 2
    expect(page.locator("#candidates tbody tr")).not_to_have_count(0)
    expect(deeper).to_have_text("Deeper (8 s)")
    expect(deeper).to_be_focused()
