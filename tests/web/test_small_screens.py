"""The page under a finger: a lens where points are near, a header of one row, and targets that a finger hits."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import CHROMIUM
from tests.web.on_the_page import begin, spot

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

SMALL = """() => [...document.querySelectorAll("button, select, label:has([type=checkbox]), input[type=text]")]
  .filter((each) => each.checkVisibility() && !each.matches("dialog *, .link"))
  .filter((each) => Math.min(each.offsetWidth, each.offsetHeight) < 44).map((each) => each.outerHTML)"""


def test_a_finger_takes_the_point_under_the_lens(phone: Page) -> None:
    begin(phone, "terhuchu_large", north="Person")
    session = phone.context.new_cdp_session(phone)
    # A rest beside the piece that is meant chooses it under the lens, and then the piece is dragged.
    for way in (["e2", "f3"], ["f3", "g2", "e2"]):
        for kind, label in zip(["touchStart", "touchMove", "touchMove"], way, strict=False):
            box = spot(phone, label).bounding_box()
            at = {"x": box["x"] + box["width"] / 2 + 3, "y": box["y"] + box["height"] / 2}
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
            expect(phone.locator("#board .lens")).to_be_visible()
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(phone.locator("#board .lens")).to_be_hidden()
        if len(way) == 2:
            expect(spot(phone, "f3")).to_have_attribute("aria-label", "f3, South man, can move, selected")
    expect(phone.locator("#turns button")).to_have_text(["f3-e2"])


def test_the_header_is_one_row_with_a_menu_and_all_targets_are_large(phone: Page) -> None:
    for width in (390, 320):
        phone.set_viewport_size({"width": width, "height": 640})
        assert phone.locator("header").bounding_box()["height"] < 64
        phone.focus("#open-menu")
        phone.keyboard.press("Enter")
        phone.keyboard.press("Tab")
        expect(phone.locator("#open-lessons")).to_be_focused()
        assert phone.evaluate(SMALL) == []
        phone.keyboard.press("Escape")
        expect(phone.locator("#open-menu")).to_be_focused()
