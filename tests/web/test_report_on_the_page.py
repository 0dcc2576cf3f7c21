"""The report after a match on the page: verdict, curve with marks, another try, and stopping it."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import BOTH_ENGINES, CHROMIUM
from tests.lost_match import LOST_RECORD
from tests.web.on_the_page import PHONE, begin, load, play, report, wait_until_still

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

VERDICT = "The decisive mistake: your move 9, c2xc4. Only d2xb4 kept the win."


@BOTH_ENGINES
def test_the_decisive_mistake_is_named_and_can_be_tried_again(page: Page) -> None:
    load(page, LOST_RECORD)
    expect(page.locator("#rematch")).to_have_text("Play again (you are dark now)")
    report(page)
    expect(page.locator("#verdict")).to_have_text(VERDICT)
    expect(page.locator("#accuracy")).to_have_text("Accuracy: you 62 %, the bot 85 %.")
    expect(page.locator("#report-basis")).to_contain_text("Every choice is judged exactly")
    expect(page.locator("#mistakes small")).to_have_text(["blunder, exact"] * 3)
    expect(page.locator("#turns [data-mark]")).to_have_text(["c5-c4", "d4-c3", "c2xc4"])
    assert page.evaluate("document.activeElement.id") == "after-title"
    expect(page.locator("#report")).to_be_hidden()
    page.click("#try-again")
    wait_until_still(page)
    expect(page.locator("#turns button")).to_have_count(16)
    expect(page.locator("#status")).to_contain_text("Your turn.")
    expect(page.locator("#seat-1 option:checked")).to_have_text("Bot: Beginner")
    expect(page.locator("#after")).to_be_hidden()
    play(page, "d2", "b4")
    wait_until_still(page)
    assert page.locator("#turns button").nth(16).inner_text() == "d2xb4"


def test_the_marks_of_the_curve_are_clicked_and_reached_by_keyboard(page: Page) -> None:
    load(page, LOST_RECORD)
    report(page)
    marks = page.locator("#report-curve button")
    expect(marks).to_have_count(3)
    page.locator("#stop-report").evaluate("(button) => button.blur()")
    page.locator("#after-title").focus()
    page.keyboard.press("Tab")
    expect(marks.first).to_be_focused()
    assert marks.first.get_attribute("aria-label") == "Your move 6, c5-c4: blunder"
    page.keyboard.press("Enter")
    wait_until_still(page)
    expect(page.locator("#status")).to_have_text("Your move 6 was c5-c4. Only c5-e5 kept the win.")
    expect(page.locator(".arrows .head")).to_have_count(1)
    expect(page.locator("#turns [aria-current]")).to_have_text("e5-d4")
    expect(marks.first).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#try-again")).to_have_text("Try again from move 6")
    page.locator("#mistakes button").nth(1).click()
    wait_until_still(page)
    expect(page.locator("#status")).to_contain_text("The bot's move 8 was d4-c3.")
    expect(page.locator("#turns [aria-current]")).to_have_text("e1-d2")
    play(page, "c5", "e5")  # what would have been better is a variation
    expect(page.locator(".variations button")).to_have_text(["c5-e5"])
    expect(page.locator("#verdict")).to_have_text(VERDICT)
    page.locator("#report-curve svg").click(position={"x": 2, "y": 20})
    expect(page.locator("#status")).to_contain_text("Earlier position. Your turn.")


def test_a_report_is_stopped_and_goes_on_where_it_stopped(page: Page) -> None:
    load(page, LOST_RECORD)
    asked: list[int] = []

    def answer_a_part(route: Route) -> None:
        body = route.request.post_data_json
        asked.append(len(body["judged"]))
        found = route.fetch().json()
        more = {**found, "judged": found["judged"][:6], "report": found["report"] if len(asked) > 3 else None}
        time.sleep(0.1)
        route.fulfill(json=more if found["report"] and len(found["judged"]) > 6 else found)

    page.route("**/api/report", answer_a_part)
    page.click("#report")
    expect(page.locator("#report-done")).to_have_text("6 of 18 turns")
    page.click("#stop-report")
    expect(page.locator("#report-running")).to_be_hidden()
    expect(page.locator("#report")).to_be_visible()
    page.click("#report")
    expect(page.locator("#verdict")).to_have_text(VERDICT)
    assert asked[0] == 0
    assert asked == sorted(asked)
    assert 0 not in asked[1:]
    page.unroute("**/api/report")


def test_undo_hides_the_report_and_the_end_shows_it_again(phone: Page) -> None:
    load(phone, LOST_RECORD.replace('"random"', '"human"'))
    expect(phone.locator("#rematch")).to_have_text("Play again")
    report(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    phone.click("#undo")
    wait_until_still(phone)
    expect(phone.locator("#after")).to_be_hidden()
    expect(phone.locator("#report")).to_be_hidden()
    play(phone, "c5", "c3", "e1")
    wait_until_still(phone)
    expect(phone.locator("#verdict")).to_have_text(VERDICT.replace("your move 9", "move 9 of South"))


def test_a_match_that_is_not_over_has_no_report_and_roles_are_named_where_sides_change(page: Page) -> None:
    begin(page, "bagh_chal", north="Easy")
    expect(page.locator("#report")).to_be_hidden()
    page.on("dialog", lambda dialogue: dialogue.accept())
    page.click("#resign")
    expect(page.locator("#rematch")).to_have_text("Play again (you are the goats now)")
    page.route("**/api/report", lambda route: route.abort())
    page.click("#report")
    expect(page.locator("#report-problem")).to_contain_text("The server does not answer.")
    page.unroute("**/api/report")
    report(page)
    expect(page.locator("#report-problem")).to_be_empty()
    expect(page.locator("#verdict")).not_to_be_empty()
