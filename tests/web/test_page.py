"""The page in a real browser: whole matches in every game, chains, bent leaps, undo, load, keys, touch, phones."""

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from alquerque_env import Match, games, load_game, load_table
from alquerque_env.bots.shipped import shipped_bots
from tests.browser import BOTH_ENGINES, CHROMIUM, served, served_by, served_in_thread
from tests.web.on_the_page import (
    A_MATCH,
    NO_STORAGE,
    PERSON,
    PHONE,
    as_text,
    begin,
    choose_card,
    choose_game,
    choose_players,
    move_somehow,
    open_page,
    open_record,
    open_tab,
    play,
    put,
    spot,
    turns,
    wait_until_still,
)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

# The labels of the points that arrow keys reach from a point.
REACHED_BY_ARROWS = """
(first) => {
  const reached = new Set([first]);
  for (const label of reached) {
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
      const spot = document.querySelector(`.spot[data-at="${label}"]`);
      spot.focus();
      spot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      reached.add(document.activeElement.dataset.at);
    }
  }
  return [...reached];
}
"""


def quick(*names: str) -> list[object]:
    """The games as parameters of a test, all but some of them marked as slow."""
    return [name if name in names else pytest.param(name, marks=pytest.mark.long) for name in games()]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served("--seconds", "0.5") as address:
        yield address


@pytest.fixture
def phone_on_its_side(browser: Browser, address: str) -> Iterator[Page]:
    size = {"width": PHONE["height"], "height": PHONE["width"]}
    yield from open_page(browser, address, viewport=size, has_touch=True, is_mobile=True)


@BOTH_ENGINES
def test_a_whole_match_can_be_played_against_a_bot(page: Page) -> None:
    begin(page, "fetaix")
    while not page.locator("#status.over").count():
        move_somehow(page)
    match = Match("fetaix")
    for turn in turns(page):
        match.push(turn)
    assert match.is_over
    kings = sum(promoted for _, promoted in match.picture().pieces.values())
    assert page.locator(".pieces > .piece").count() == len(match.picture().pieces)
    assert page.locator(".pieces > .piece .king").count() == kings


def test_the_turn_of_a_bot_is_shown_with_what_it_rests_on(page: Page) -> None:
    def answer(route: Route) -> None:
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), "note": "exact: draws"})

    page.route("**/api/turn", answer)
    begin(page, "felli_simplified")
    play(page, "c2", "c3")
    wait_until_still(page)
    expect(page.locator("#status")).to_contain_text(re.compile(r"The bot played \S+ \(exact: draws\)\. Your turn\."))
    page.unroute("**/api/turn")


def test_a_chain_is_played_leap_by_leap_with_its_piece_marked_and_can_be_stopped(page: Page) -> None:
    begin(page, "alquerque_murray", north="Person", position="W:Wa1:Bb2,d4,a5")
    play(page, "a1", "c3")
    expect(spot(page, "c3")).to_have_attribute("aria-label", "c3, South man, can move, selected, in a chain")
    expect(page.locator(".marks .chain").first).to_be_visible()
    play(page, "a5")  # another piece does not take the chain away
    play(page, "e5")
    expect(page.locator("#turns button")).to_have_text(["a1xc3xe5"])
    assert page.locator(".pieces > .piece").count() == 2
    page.click("#undo")
    play(page, "a1", "c3")
    page.click("#pass")
    expect(page.locator("#status")).to_contain_text("North to move")
    expect(page.locator("#pass")).to_be_hidden()


@pytest.mark.parametrize("way", ["button", "keyboard", "board"])
def test_the_page_asks_which_of_two_pieces_a_leap_captures(page: Page, way: str) -> None:
    begin(page, "awithlaknannai_mosona", north="Person", position="W:We2:Bf1,f3")
    for label in ("e2", "g2"):
        spot(page, label).press("Enter")
    expect(page.locator("#choices button")).to_have_text(["f1", "f3"])
    expect(page.locator("#status")).to_have_text("Which piece do you capture? Choose it on the board or here.")
    if way == "button":
        page.keyboard.press("Escape")
        expect(page.locator("#choices")).to_be_hidden()
        play(page, "g2")
        page.locator("#choices button", has_text="f3").click()
    elif way == "keyboard":
        assert page.evaluate("document.activeElement.textContent") == "f1"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    else:
        expect(spot(page, "f1")).to_have_attribute("aria-label", "f1, North man, can be captured")
        play(page, "b3")  # something else gives the choice up
        expect(page.locator("#choices")).to_be_hidden()
        play(page, "e2", "g2", "f3")
        expect(page.locator("#choices")).to_be_hidden()
    expect(page.locator('.pieces > .piece[data-at="f3"]')).to_have_count(0)
    assert page.locator('.pieces > .piece[data-at="f1"]').count() == 1
    assert way != "keyboard" or page.evaluate("document.activeElement.dataset.at") == "g2"


def test_pieces_are_dropped_by_click_and_key(page: Page) -> None:
    begin(page, "bagh_chal", north="Person")
    status, south, north = page.locator("#status"), page.locator("#seat-bottom"), page.locator("#seat-top")
    expect(page.locator("#changed")).to_be_hidden()
    expect(south).to_contain_text("Tigers (South)")
    expect(north.locator(".count")).to_have_text("0 goats20 in hand")
    expect(page.locator(".targets .target")).to_have_count(21)
    play(page, "a1")
    expect(status).to_have_text("The tiger on a1 is South's. North to move.")
    play(page, "c3")
    expect(page.locator("#turns button")).to_have_text(["@c3"])
    expect(north.locator(".count")).to_have_text("1 goat19 in hand")
    expect(north.locator(".hand .side")).to_have_count(19)
    expect(page.locator(".travel .origin-ring.rim + .origin-ring")).to_have_count(1)
    play(page, "a1", "b1", "c3")
    expect(status).to_have_text("The goat on c3 cannot move now. North must drop one goat.")
    page.click("#hint")
    expect(status).to_contain_text("Hint: put a goat on ")
    expect(page.locator(".arrows circle.shaft.rim + .shaft")).to_have_count(1)
    assert spot(page, "d3").get_attribute("aria-label") == "d3, empty, legal target"
    spot(page, "d3").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#turns button")).to_have_text(["@c3", "a1-b1", "@d3"])
    expect(spot(page, "d3")).to_have_attribute("aria-label", "d3, North goat")
    page.click("#undo")
    expect(page.locator("#turns button")).to_have_count(2)


def test_the_pieces_of_a_hunt_are_animals_on_the_board_and_in_hand(page: Page) -> None:
    begin(page, "bagh_chal")
    expect(page.locator("#status")).to_contain_text(re.compile(r"The bot put a goat on [a-e][1-5]\. Your turn\."))
    for animal, count in (("tiger", 4), ("goat", 1)):
        drawn = page.locator(f'.pieces > .piece use[href="#alquerque-{animal}"]')
        expect(drawn).to_have_count(count)
        assert drawn.first.evaluate("(use) => use.getBBox().width") > 40
    in_hand = page.locator("#seat-top .hand .side").last
    assert "alquerque-goat" in in_hand.evaluate("(side) => getComputedStyle(side, '::before').backgroundImage")


def test_a_click_on_a_piece_of_a_row_says_which_row_is_captured(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, slow=True):
        begin(page, "fanorona", north="Person")
        play(page, "d3", "e3")
        expect(spot(page, "c3")).to_have_attribute("aria-label", "c3, North man, can be captured")
        play(page, "f3")
        expect(page.locator("#turns button")).to_have_text(["d3xe3^f3"])


@BOTH_ENGINES
def test_a_piece_can_be_dragged_and_returns_from_an_illegal_point(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    page.mouse.move(*centre(page, "c2"))
    page.mouse.down()
    for label, aimed in (("c3", 1), ("a5", 0)):
        page.mouse.move(*centre(page, label), steps=4)
        expect(page.locator(".target.aimed")).to_have_count(aimed)
    page.mouse.up()
    assert turns(page) == []
    transform = page.locator('.pieces > .piece[data-at="c2"]').get_attribute("transform")
    point = spot(page, "c2")
    assert transform == f"translate({point.get_attribute('cx')} {point.get_attribute('cy')})"
    drag(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    wait_until_still(page)
    expect(page.locator('.pieces > .piece[data-at="c3"]')).to_have_count(1)


def test_the_status_says_why_a_piece_cannot_move(page: Page) -> None:
    begin(page, "alquerque", north="Person", position="W:Wa1,e1:Bb2,a5")
    status = page.locator("#status")
    play(page, "e1")
    expect(status).to_have_text("The piece on e1 cannot move now. A capture is compulsory.")
    play(page, "a5")
    expect(status).to_have_text("The piece on a5 is North's. South to move.")
    play(page, "d4")
    expect(status).to_have_text("There is no piece on d4. South to move.")
    play(page, "a1", "a2")
    expect(status).to_have_text("The piece on a1 cannot go to a2. A capture is compulsory.")
    drag(page, "a1", "b2")
    expect(status).to_have_text("The piece on a1 cannot go to b2. A capture is compulsory.")
    begin(page, "awithlaknannai_mosona", north="Person")
    play(page, "q2")
    expect(status).to_have_text("The piece on q2 cannot move now. The first step goes to i2.")


def test_the_status_says_that_a_player_must_pass(page: Page) -> None:
    begin(page, "fetaix", north="Person", options={"no_moves": "pass"}, position="W:Wa3:Ba4,a5,b3,b4,c3,c5,b5")
    expect(page.locator("#status")).to_have_text("South to move. No piece can move: pass.")
    page.click("#pass")
    expect(page.locator("#status")).to_contain_text("North to move.")


def test_a_match_starts_after_the_server_has_said_which_bots_can_play(page: Page) -> None:
    """A trained bot of a game plays only the rules that it was trained on; that of all games replaces it."""
    page.click("#open-setup")
    choose_card(page, "fetaix")
    choose_players(page, PERSON, "Trained")
    page.click("text=Rules where sources differ")
    late: list[Route] = []
    page.route("**/api/rules", lambda route: late.append(route))
    with page.expect_request("**/api/rules"):
        page.select_option('[name="capture"]', index=1)
    page.click("#begin")
    page.wait_for_timeout(200)
    expect(page.locator("#setup")).to_be_visible()
    for route in late:
        route.continue_()
    expect(page.locator("#setup")).to_be_hidden()
    page.unroute("**/api/rules")
    wait_until_still(page)
    expect(page.locator("#problem")).to_be_empty()
    assert page.locator("#seat-top option:checked").text_content() == "Bot: Trained"


def centre(page: Page, label: str) -> tuple[float, float]:
    """Where a point is on the screen."""
    box = spot(page, label).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, origin: str, target: str) -> None:
    (x, y), (to_x, to_y) = centre(page, origin), centre(page, target)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=4)
    page.mouse.move(to_x, to_y, steps=4)
    page.mouse.up()


# With names of columns and rows, with numbers, and in rings.
SHAPES = ("awithlaknannai_mosona", "draughts_english", "fetaix", "gol_skuish", "kolowis_awithlaknannai")


@pytest.mark.parametrize("name", quick(*SHAPES))
def test_the_arrow_keys_reach_every_point(page: Page, name: str) -> None:
    begin(page, name, north="Person")
    labels = load_game(name).board.labels
    page.keyboard.press("Tab")  # after a pointer they step through the match
    spot(page, labels[0]).focus()
    for key in ("ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.at") in labels
    assert set(page.evaluate(REACHED_BY_ARROWS, labels[0])) == set(labels)


def test_every_point_and_piece_has_a_name_for_screen_readers(page: Page) -> None:
    begin(page, "fetaix", north="Person", position="W:WKa1,b2:Be5")
    names = page.locator(".spot").evaluate_all("spots => spots.map(spot => spot.getAttribute('aria-label'))")
    assert len(names) == 25
    assert "a1, South mullah, can move" in names
    assert "e5, North man" in names
    assert "c3, empty" in names
    assert page.locator(".spot[tabindex='0']").count() == 1
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, select, input')]"
        ".filter(one => !(one.innerText || one.labels?.length || one.getAttribute('aria-label'))).map(one => one.id)"
    )
    assert unnamed == []


def test_clicks_during_an_animation_wait_for_its_end(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, slow=True):
        begin(page, "alquerque", north="Person")
        play(page, "c2", "c3")
        page.click("#undo")  # the piece is still on its way
        expect(page.locator("#turns button")).to_have_count(0)
        wait_until_still(page)
        play(page, "d2", "c3", "b4", "d2")
        page.click("#undo")
        page.click("#undo")
        wait_until_still(page)
        assert turns(page) == []
        assert page.locator(".pieces > .piece").count() == 24
        play(page, "b2", "c3")
        wait_until_still(page)
        assert turns(page) == ["b2-c3"]
        page.reload()
        wait_until_still(page)
        assert turns(page) == ["b2-c3"]


def test_undo_after_a_resignation_takes_back_only_that(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3")
    wait_until_still(page)
    page.on("dialog", lambda dialogue: dialogue.accept())
    page.click("#resign")
    expect(page.locator("#status")).to_have_text("South wins: North resigned.")
    page.click("#undo")
    expect(page.locator("#status")).to_contain_text("North to move.")
    assert turns(page) == ["c2-c3"]
    page.click("#first")
    expect(page.locator("#undo")).to_be_disabled()


def test_a_hint_for_an_earlier_position_is_not_shown(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    page.click("#hint")
    play(page, "c2", "c3")
    expect(page.locator("#status")).to_have_text("North to move. A capture is compulsory.")
    with page.expect_response("**/api/analysis"):
        page.click("#hint")
    expect(page.locator("#status")).to_contain_text("Hint: ")
    play(page, "c4", "c2")
    page.wait_for_timeout(1000)
    expect(page.locator(".arrows .head")).to_have_count(0)


def test_arrow_keys_go_through_the_turns(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3", "c4", "c2")
    wait_until_still(page)
    page.locator("#turn").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#status")).to_have_text("Earlier position. South to move.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turns [aria-current]")).to_have_text("c2-c3")
    page.locator("#turns button").first.focus()
    page.keyboard.press("Enter")
    wait_until_still(page)
    assert page.evaluate("document.activeElement.textContent") == "c2-c3"
    page.locator("#first").focus()
    page.keyboard.press("Enter")
    wait_until_still(page)
    assert page.evaluate("document.activeElement.id") == "forward"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#play-on")).to_be_hidden()


def test_a_turn_is_taken_back_and_a_match_is_played_on_from_an_earlier_position(page: Page) -> None:
    begin(page, "alquerque", north="Easy")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(2)
    page.click("#undo")  # the turns of the bot and of the person
    expect(page.locator("#turns button")).to_have_count(0)
    assert page.locator(".pieces > .piece").count() == 24
    expect(page.locator("#undo")).to_be_disabled()
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(2)
    page.click("#first")
    expect(page.locator("#status")).to_contain_text("Earlier position")
    assert page.locator(".pieces > .piece").count() == 24
    page.click("#forward")
    page.click("#last")
    expect(page.locator("#play-on")).to_be_hidden()
    page.click("#first")
    page.click("#play-on")
    expect(page.locator("#turns button")).to_have_count(0)
    play(page, "d2", "c3")
    expect(page.locator("#turns button").first).to_have_text("d2-c3")


def test_a_browser_that_blocks_site_data_plays_without_keeping_the_match(page: Page) -> None:
    page.add_init_script(NO_STORAGE)
    page.reload()
    begin(page, "fetaix", north="Person")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    page.reload()
    wait_until_still(page)
    expect(page.locator(".spot")).not_to_have_count(0)
    expect(page.locator("#turns button")).to_have_count(0)


WRONG_STATES = (
    *("null", "7", '"text"', "[]", "{}", '{"match": {"game"', "x" * 100_000),
    *({"match": match} for match in (None, 1, {}, {"game": 7}, A_MATCH)),
    *({"match": A_MATCH, "seats": seats} for seats in (None, 3, [], ["human"], [1, 2], ["human", None])),
    *(
        {"match": {**A_MATCH, **part}, "seats": ["human", "human"]}
        for part in ({"game": "chess"}, {"game": "x" * 9999}, {"options": {"capture": [1]}}, {"options": 7})
    ),
    *(
        {"match": {**A_MATCH, **part}, "seats": ["human", "human"]}
        for part in ({"start": "nonsense"}, {"start": 5}, {"steps": "c2-c3"}, {"steps": [1]}, {"steps": ["a1-a9"]})
    ),
)
WRONG_PARTS = (
    {"id": 5, "names": "x", "date": 3, "headers": [], "turned": "yes", "ended": 1, "cursor": -4, "paused": "no"},
    {"names": [1, 2], "headers": {"Event": 5}, "ended": {"result": None}, "cursor": 99, "isOver": 3, "turns": "many"},
    {"names": ["A"], "ended": {}, "cursor": 0.5, "at": "yesterday", "isOver": None, "unknown": {"deep": [1]}},
    {"cursor": "1", "at": 1e300, "turns": -1, "key": "x"},
)


TAB_IS_LOST = "The match of this tab cannot be restored: "


@pytest.mark.parametrize("states", [WRONG_STATES[::5], pytest.param(WRONG_STATES, marks=pytest.mark.long)])
def test_nothing_stored_gives_a_blank_page_and_a_lost_match_is_told(page: Page, states: tuple[object, ...]) -> None:
    for state in states:
        page.evaluate("localStorage.clear()")
        put(page, "sessionStorage", **{"": state})
        page.reload()
        wait_until_still(page)
        expect(page.locator(".spot")).not_to_have_count(0)
        expect(page.locator("#status")).not_to_be_empty()
        expect(page.locator("#turns button")).to_have_count(0)
        said = "Step 1 of this match, a1-a9, is not legal" if "a1-a9" in as_text(state) else TAB_IS_LOST
        expect(page.locator("#problem")).to_contain_text(said)


def test_a_stored_match_is_restored_without_the_parts_that_are_wrong(page: Page) -> None:
    for part in WRONG_PARTS:
        put(page, "sessionStorage", **{"": {"match": A_MATCH, "seats": ["human", "human"], **part}})
        page.reload()
        expect(page.locator("#turns button")).to_have_text(["c2-c3"])
        expect(page.locator("#status")).to_contain_text("North")
        page.click("#turn")
        wait_until_still(page)
        expect(page.locator("#problem")).to_be_empty()


def test_wrong_stored_matches_are_not_offered_and_the_others_are(page: Page) -> None:
    right = {"match": A_MATCH, "seats": ["human", "human"]}
    states = [*WRONG_STATES, *({**right, **part} for part in WRONG_PARTS)]
    page.evaluate("sessionStorage.clear()")
    put(page, "localStorage", **{str(number): state for number, state in enumerate(states)})
    page.reload()
    wait_until_still(page)
    page.get_by_text("Resume the last match").click()
    expect(page.locator(".spot")).not_to_have_count(0)
    page.click("#open-setup")
    page.click("text=Resume an earlier match")
    offered = page.locator("#earlier button")
    expect(offered.first).to_be_visible()
    offered.filter(has_text="Fetaix").last.click()
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])


def test_a_match_goes_on_when_the_storage_is_full(page: Page) -> None:
    begin(page, "fetaix", north="Person")
    fill = (
        "let n = 2 ** 22; while (n > 1) try { localStorage['x' + n + Math.random()] = 'x'.repeat(n) } catch { n /= 2 }"
    )
    page.evaluate(f"() => {{ {fill} }}")
    page.evaluate(f"() => {{ {fill.replace('localStorage', 'sessionStorage')} }}")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    expect(page.locator("#problem")).to_be_empty()


def test_tabs_do_not_disturb_each_other(browser: Browser, address: str) -> None:
    context = browser.new_context(reduced_motion="reduce")
    one, other = open_tab(context, address), open_tab(context, address)
    for page, game in ((one, "alquerque"), (other, "fetaix")):
        begin(page, game, north="Person")
    for page, label in ((one, "d2"), (other, "b2")):
        page.bring_to_front()  # a tab that nobody sees is slow
        play(page, label, "c3")
    for page, turn in ((one, "d2-c3"), (other, "b2-c3")):
        page.reload()
        expect(page.locator("#turns button")).to_have_text([turn])
    third = open_tab(context, address)
    expect(third.get_by_text("Resume the last match")).to_have_count(0)  # the other tabs play them
    other.close()
    third.reload()
    third.evaluate("sessionStorage.clear()")
    third.goto(address)
    third.get_by_text("Resume the last match").click()
    expect(third.locator("#turns button")).to_have_text(["b2-c3"])
    context.close()


def holds_its_match(page: Page) -> bool:
    held = page.evaluate("navigator.locks.query().then(({ held }) => held.map(({ name }) => name))")
    return held == ["alquerque.match." + page.evaluate("JSON.parse(sessionStorage['alquerque.match']).id")]


def test_a_tab_locks_only_the_match_that_it_shows(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "d2", "c3")
    expect(page.locator("#turns button")).to_have_text(["d2-c3"])
    assert holds_its_match(page)
    page.click("#first")
    page.click("#play-on")
    expect(page.locator("#turns button")).to_have_count(0)
    assert holds_its_match(page)
    page.route("**/api/board", lambda route: route.abort())
    page.click("#open-setup")
    choose_card(page, "fetaix")
    page.click("#begin")
    expect(page.locator("#problem")).not_to_be_empty()
    page.unroute("**/api/board")
    wait_until_still(page)
    assert holds_its_match(page)


@pytest.mark.parametrize("way", ["resumed", "duplicated"])
def test_a_match_of_another_tab_is_played_as_a_copy(browser: Browser, address: str, way: str) -> None:
    context = browser.new_context(reduced_motion="reduce")
    one = open_tab(context, address)
    begin(one, "alquerque", north="Person")
    play(one, "d2", "c3")
    wait_until_still(one)
    other = open_tab(context, address)
    if way == "resumed":
        other.click("#open-setup")
        other.click("text=Resume an earlier match")
        named = "Alquerque (piecepack ruleset): Player 1 – Player 2, 1 move,"
        other.locator("#earlier button", has_text=named).click()
    else:
        state = one.evaluate("sessionStorage['alquerque.match']")
        other.evaluate("(state) => (sessionStorage['alquerque.match'] = state)", state)
        other.reload()
        wait_until_still(other)
        expect(other.locator("#problem")).to_contain_text("Another tab plays this match, so this is a copy of it.")
    expect(other.locator("#turns button")).to_have_text(["d2-c3"])
    other.click("#undo")
    expect(other.locator("#turns button")).to_have_count(0)
    play(other, "b2", "c3")
    expect(other.locator("#turns button")).to_have_text(["b2-c3"])
    for page, turn in ((one, "d2-c3"), (other, "b2-c3")):
        page.bring_to_front()
        page.reload()
        wait_until_still(page)
        expect(page.locator("#problem")).to_be_empty()
        expect(page.locator("#turns button")).to_have_text([turn])
    kept = "Object.keys(localStorage).filter((key) => localStorage[key].includes('c3')).length"
    assert other.evaluate(kept) == 2
    context.close()


def test_the_board_is_turned_to_a_person_who_plays_north(page: Page) -> None:
    begin(page, "alquerque", north="Beginner")
    page.select_option("#seat-1", label="Another person")
    page.select_option("#seat-0", label="Bot: Beginner")
    expect(page.locator("#turns button")).to_have_count(1)
    for _ in range(2):
        wait_until_still(page)
        expect(page.locator("#status")).to_contain_text("The bot played")
        south_west, north_east = (spot(page, label).bounding_box() for label in ("a1", "e5"))
        assert south_west["x"] > north_east["x"]
        assert south_west["y"] < north_east["y"]
        begin(page, "alquerque", south="Beginner", north="Person")
        expect(page.locator("#turns button")).to_have_count(1)


def test_a_match_file_can_be_saved_and_loaded(page: Page, tmp_path: Path) -> None:
    begin(page, "fetaix", north="Person")
    open_record(page)
    written = page.locator("#record-text")
    today = re.compile(r'South "human".*Date "20\d\d\.\d\d\.\d\d"', re.DOTALL)
    expect(written).to_have_value(today)
    headers = '[South "Anna"]', '[North "alphabeta:1"]', '[Date "1994.??.??"]', '[Event "Fair"]'
    ended = '[Result "1/2-1/2"]\n[Reason "agreed"]'
    page.fill("#record-text", "\n".join(['[Game "alquerque"]', *headers, ended, "\n1. c2-c3 c4xc2 1/2-1/2\n"]))
    page.click("#load-record")
    expect(page.locator("#turns button")).to_have_text(["c2-c3", "c4xc2"])
    expect(page.locator("#title")).to_contain_text("piecepack")
    expect(page.locator("#status")).to_have_text("Draw: agreed.")
    expect(page.locator("#seat-0 option:checked")).to_have_text("Anna")
    expect(page.locator("#seat-1 option:checked")).to_have_text("Bot: Medium")
    open_record(page)
    expect(page.locator("#position")).to_have_value(re.compile("^W:W"))
    with page.expect_download() as download:
        page.click("#save-record")
    file = tmp_path / "match.pdn"
    download.value.save_as(file)
    assert all(header in file.read_text() for header in (*headers, *ended.split("\n")))
    page.fill("#record-text", '[Game "alquerque"]\n\n1. c2-c3 *\n')
    page.click("#load-record")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    open_record(page)
    expect(written).to_have_value(re.compile(re.escape('[Date "????.??.??"]')))  # when is not known, and not today
    page.set_input_files("#open-file", file)
    expect(page.locator("#turns button")).to_have_text(["c2-c3", "c4xc2"])
    page.click("#undo")
    expect(page.locator("#status")).to_contain_text("Your turn.")


def test_the_saved_picture_shows_the_current_position(page: Page, tmp_path: Path) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3")
    page.click("#first")
    expect(page.locator("#status")).to_contain_text("Earlier position")
    open_record(page)
    with page.expect_download() as download:
        page.click("#save-svg")
    download.value.save_as(tmp_path / "board.svg")
    assert "d2, e2, d3, e3" in (tmp_path / "board.svg").read_text()
    assert "c2, d2" in (tmp_path / "board.svg").read_text()
    with page.expect_download() as download:
        page.click("#save-png")
    png = download.value.path().read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    assert [int.from_bytes(png[at : at + 4]) for at in (16, 20)] == [1200, 1200]
    assert len(png) > 50_000  # what is blank is much smaller


def test_a_newcomer_is_told_the_aim_and_what_to_do(page: Page) -> None:
    aim, status = page.locator("#aim"), page.locator("#status")
    expect(aim).to_have_text("Capture all twelve dark pieces, or block them. You are white.")
    expect(page.locator("#seat-0 option:checked")).to_have_text("You")
    expect(page.locator("#seat-1 option:checked")).to_have_text("Bot: Easy")
    expect(status).to_have_text("Your turn. Click a ringed piece.")
    play(page, "c2")
    expect(status).to_have_text("Your turn. Click a marked point to move there.")
    play(page, "c3")
    expect(page.locator("#turns button")).to_have_count(2)
    wait_until_still(page)
    expect(status).to_contain_text("Your turn.")
    expect(status).not_to_contain_text("Click")
    begin(page, "bagh_chal", south="Beginner", north=PERSON)
    expect(aim).to_have_text("Surround the tigers, so that they have no move left. You are the goats (dark).")
    expect(status).to_contain_text("Your turn. Click a marked point to put a goat there.")
    begin(page, "bagh_chal", north=PERSON)
    expect(aim).to_contain_text("Tigers (white): capture five of the 20 goats, or block them. Goats (dark): surround")
    choose_game(page, "fetaix", "Beginner", "Beginner")
    expect(aim).to_have_text("Two bots play. Capture all twelve enemy pieces, or block them.")


# What only the program knows: specs of bots, letters of sources, paths.
INWARD = re.compile(r"\b(mcts|alphabeta):|Person\b|\bPP\b|\bhuman\b|server was started|/home/|/root/")


def test_no_word_that_only_the_program_knows_is_on_the_page(page: Page) -> None:
    begin(page, "alquerque")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(2)
    texts = [page.locator("body").inner_text()]
    for opener, dialog in (("#open-setup", "#setup"), ("#open-rules", "#rules"), ("#open-record", "#record")):
        page.click(opener)
        expect(page.locator(f"{dialog} h2")).to_be_visible()
        page.locator(f"{dialog} details:not(#record-details)").evaluate_all(
            "(all) => all.forEach((one) => (one.open = true))"
        )
        texts.append(page.locator(dialog).inner_text())
        page.keyboard.press("Escape")
    texts += page.locator("option").all_inner_texts()
    assert [found[0] for text in texts for found in INWARD.finditer(text)] == []


def test_a_person_plays_for_a_bot_that_is_not_offered_any_more(page: Page) -> None:
    put(page, "sessionStorage", **{"": {"match": A_MATCH, "seats": ["human", "alphabeta:8"]}})
    page.reload()
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    expect(page.locator("#problem")).to_have_text("A bot of this match cannot play here: you play instead.")
    expect(page.locator("#seat-0 option:checked")).to_have_text("Player 1")


def test_cards_are_found_by_words_and_kinds_and_chosen_by_keys(page: Page) -> None:
    page.keyboard.press("n")
    cards = page.locator("#cards .card:visible")
    expect(cards).to_have_count(len(games()))
    page.fill("#search", "nepal")
    expect(cards).to_have_count(1)
    expect(page.locator("#found")).to_have_text(f"1 of {len(games())} games")
    expect(page.locator('#cards [value="bagh_chal"]')).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator('#cards [value="bagh_chal"]')).to_be_focused()
    expect(page.locator("#side-chips")).to_contain_text("Tigers (South): white")
    page.fill("#search", "nobody plays this")
    expect(page.locator("#found")).to_have_text("No game has these words.")
    page.fill("#search", "")
    page.get_by_role("button", name="Hunts").click()
    expect(cards).to_have_count(sum(load_game(name).has_roles for name in games()))
    page.get_by_role("button", name="All", exact=True).click()
    page.locator('#cards [value="alquerque"]').focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cards :checked")).to_have_attribute("value", "alquerque_alfonso_x")
    expect(page.locator("#game-about")).to_contain_text("Alfonso X")
    page.keyboard.press("Enter")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#title")).to_have_text("Alquerque (Alfonso X)")


def test_pictures_of_cards_come_when_they_are_seen(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: "api/card" in request.url and asked.append(request.post_data))
    page.click("#open-setup")
    expect(page.locator('.card[data-game="alquerque"] img')).to_have_attribute("src", re.compile("^data:image/svg"))
    assert 0 < len(asked) < len(games())
    page.locator('.card[data-game="zamma"]').scroll_into_view_if_needed()
    expect(page.locator('.card[data-game="zamma"] img')).to_have_attribute("src", re.compile("^data:image/svg"))
    assert len(asked) == len(set(asked))


def test_keys_do_what_the_buttons_do(page: Page) -> None:
    begin(page, "alquerque", north=PERSON)
    play(page, "c2", "c3")
    wait_until_still(page)
    turned = page.locator(".spot").first.get_attribute("cy")
    page.keyboard.press("f")
    expect(page.locator(".spot").first).not_to_have_attribute("cy", turned)
    expect(page.locator('.spot[data-at="c3"]')).to_be_focused()
    page.keyboard.press("h")
    expect(page.locator("#status")).to_contain_text("Hint:")
    page.keyboard.press("Home")
    expect(page.locator("#status")).to_contain_text("Earlier position.")
    page.keyboard.press("End")
    expect(page.locator("#status")).to_contain_text("North to move.")
    page.keyboard.press("u")
    expect(page.locator("#turns button")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys-table tr")).to_have_count(22)
    page.keyboard.press("f")
    expect(page.locator("#keys")).to_be_visible()
    page.uncheck("#keys-on")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator("#setup")).to_be_hidden()
    page.keyboard.press("Control+a")
    expect(page.locator("#analyse")).not_to_be_checked()
    page.reload()
    wait_until_still(page)
    page.keyboard.press("a")
    expect(page.locator("#analyse")).not_to_be_checked()


def type_move(page: Page, text: str) -> None:
    wait_until_still(page)
    page.locator("#turn").focus()
    page.keyboard.press("m")
    page.keyboard.press("Delete")  # what was typed before is selected
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    wait_until_still(page)


def test_a_typed_move_is_a_move(page: Page) -> None:
    for game, position, typed, played in (
        ("alquerque", "", ["c2 c3", "c4 takes c3 to c2"], ["c2-c3", "c4xc2"]),
        ("alquerque", "W:Wa1:Bb2,d4,a5", ["a1xc3xe5"], ["a1xc3xe5"]),
        ("bagh_chal", "", ["@c3", "A1-B1", "d3"], ["@c3", "a1-b1", "@d3"]),
    ):
        begin(page, game, north=PERSON, position=position)
        for text in typed:
            type_move(page, text)
        expect(page.locator("#turns button")).to_have_text(played)
        expect(page.locator("#typed-move")).to_have_value("")


def test_a_typed_move_that_is_not_legal_is_told_with_what_is(page: Page) -> None:
    begin(page, "alquerque", north=PERSON)
    problem = page.locator("#problem")
    for text, said in (
        ("c3-c2", "There is no piece on c3. South to move. Did you mean c2-c3"),
        ("b2-b3", "The piece on b2 cannot go to b3. Did you mean b2-c3?"),
        ("c2-c3-c2", "Nothing is played: after c2-c3, c3-c2 is not legal."),
        ("z9-c3", "There is no point z9 on this board."),
        ("castle", "“castle” is no move."),
        ("c2", "A move names two points. Did you mean c2-c3"),
        ("", "Type a move, such as "),
    ):
        type_move(page, text)
        expect(problem).to_contain_text(said)
    expect(page.locator("#turns button")).to_have_count(0)
    begin(page, "draughts_international", north=PERSON)
    type_move(page, "32x28")
    expect(page.locator("#turns button")).to_have_text(["32-28"])
    type_move(page, "20x99")
    expect(problem).to_contain_text("There is no point 99 on this board.")
    begin(page, "awithlaknannai_mosona", north=PERSON, position="W:We2:Bf1,f3")
    type_move(page, "e2xg2")
    expect(problem).to_have_text("Which piece is captured? Type e2xg2^f1 or e2xg2^f3.")
    type_move(page, "e2xg2^f3")
    expect(page.locator('.pieces > .piece[data-at="f3"]')).to_have_count(0)


def test_the_rules_open_at_the_top_with_pictures_of_what_the_game_allows(page: Page) -> None:
    begin(page, "fetaix", north=PERSON)
    page.click("#open-rules")
    figures = page.locator("#rules figure")
    expect(figures).to_have_count(8)
    expect(figures.first).to_contain_text("The start. South moves first.")
    expect(figures.nth(1).locator("img")).to_have_attribute("alt", re.compile("South: "))
    expect(page.locator("#rules")).to_contain_text("South has the white pieces")
    expect(page.locator("#rules-text")).to_contain_text("a1xc1 is a capture")
    assert page.evaluate("document.querySelector('#rules').scrollTop") == 0


def test_a_wrong_match_file_and_an_error_in_writing_one_leave_the_match_and_what_can_be_loaded(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3")
    wait_until_still(page)
    page.route("**/api/save", lambda route: route.abort())
    open_record(page)
    expect(page.locator("#record-problem")).to_contain_text("The server does not answer")
    page.fill("#record-text", '[Game "alquerque"]\n\n1. a1-a5 *\n')
    page.click("#load-record")
    expect(page.locator("#record-problem")).to_contain_text("a1-a5")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    page.fill("#record-text", '[Game "alquerque"]\n\n1. d2-c3 *\n')
    page.click("#load-record")
    expect(page.locator("#turns button")).to_have_text(["d2-c3"])


def test_the_dialog_opens_with_the_text_of_the_match_file(page: Page) -> None:
    """Text that arrived later would replace what the user has typed."""
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(1)
    late: list[Route] = []
    page.route("**/api/save", lambda route: late.append(route))
    with page.expect_request("**/api/save"):
        open_record(page)
    open_record(page)
    assert page.locator("#record").is_hidden()
    late[0].continue_()
    expect(page.locator("#record")).to_be_visible()
    assert "c2-c3" in page.locator("#record-text").input_value()
    assert len(late) == 1


def test_a_checkpoint_is_opened_by_its_folder_and_then_plays_and_evaluates(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(shipped_bots()["fetaix-small"], tmp_path / "mine-1" / "final")
    with served_in_thread(checkpoints=[tmp_path]) as address:
        for page in open_page(browser, address):
            begin(page, "fetaix")
            page.check("#analyse")
            expect(page.locator("#evaluator")).not_to_contain_text("mine-1")
            page.click("#open-setup")
            page.locator("#checkpoint summary").press("Enter")  # cards above it may still move it
            page.fill("#folder", "mine-2/final")
            page.keyboard.press("Enter")
            expect(page.locator("#checkpoint-problem")).to_contain_text("there is no checkpoint 'mine-2/final' below")
            page.fill("#folder", "mine-1/final")
            page.fill("#simulations", "4")
            page.click("#open-checkpoint")
            expect(page.locator("#checkpoint-about")).to_have_text("mine-1/final:4 plays Fetaix.")
            expect(page.locator("#checkpoint-problem")).to_be_empty()
            expect(page.get_by_role("radio", name="mine-1/final:4")).to_be_checked()
            page.fill("#folder", "")
            page.get_by_role("group", name="Checkpoints").get_by_text("mine-1/final: Fetaix, 1,523,712 steps").click()
            expect(page.locator("#checkpoint-about")).to_have_text("mine-1/final:4 plays Fetaix.")
            expect(page.locator("#saved button")).to_be_focused()
            choose_card(page, "felli")
            expect(page.locator("#saved button")).to_contain_text("(another game)")
            page.click("#setup button[value=cancel]")
            page.select_option("#evaluator", label="mine-1/final:4")
            expect(page.locator("#candidates th").last).to_contain_text("mine-1/final:4")
            expect(page.locator("#candidates td:last-child").first).to_contain_text("%")


def test_options_with_their_sources_change_the_game(page: Page) -> None:
    page.click("#open-setup")
    choose_card(page, "fetaix")
    page.click("text=Rules where sources differ")
    expect(page.locator("#options .option")).to_have_count(len(load_game("fetaix").option_table))
    expect(page.locator("#options")).to_contain_text("Wikipedia: compulsory, no maximum")
    page.select_option('[name="chain"]', label="it may, and may stop after any leap")
    page.select_option('[name="max_capture"]', label="yes; among turns that take equally many the choice is free")
    page.click("#begin")
    problem = page.locator("#options .option", has=page.locator('[name="max_capture"]')).locator("#setup-problem")
    expect(problem).to_contain_text(
        "needs “Does a piece that has captured go on capturing? – it must, as long as it can”"
    )
    expect(problem).to_be_in_viewport()
    expect(page.locator('[name="max_capture"]')).to_be_focused()
    expect(page.locator("#setup")).to_be_visible()
    page.select_option('[name="max_capture"]', label="no")
    page.click("#begin")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#changed")).to_have_text("1 rule changed")
    page.click("#open-rules")
    expect(page.locator("#rules-text")).to_contain_text("Changed.")
    expect(page.locator("#rules-text")).to_contain_text("it may, and may stop", ignore_case=True)


def test_a_wrong_position_is_refused_beside_its_field(phone: Page) -> None:
    phone.click("#open-setup")
    phone.click("text=Start from a position")
    phone.fill("#start", "W:Wz9:B")
    phone.click("text=Rules where sources differ")
    phone.click("#begin")
    expect(phone.locator("details", has=phone.locator("#start")).locator("#setup-problem")).to_contain_text("z9")
    expect(phone.locator("#setup-problem")).to_be_in_viewport()
    expect(phone.locator("#start")).to_be_focused()
    phone.fill("#start", "")
    phone.click("#begin")
    expect(phone.locator("#setup")).to_be_hidden()


def test_bots_that_cannot_play_the_chosen_rules_are_not_offered(page: Page) -> None:
    page.click("#open-setup")
    choose_card(page, "fetaix")
    choose_players(page, PERSON, "Trained")
    page.click("text=Rules where sources differ")
    page.select_option(
        '[name="mullah_lines"]',
        label=load_game("fetaix").option_table["mullah_lines"].values["long_diagonals"],
    )
    # The page asks the server who can play these rules, so the choice changes a moment later.
    expect(page.get_by_role("radio", name="Trained", exact=True)).to_have_attribute("value", "family:64")
    expect(page.get_by_role("radio", name="Trained", exact=True)).to_be_checked()
    expect(page.locator("#game-about")).not_to_contain_text("solved")
    page.click("#defaults")
    expect(page.locator("#game-about")).to_contain_text("it is a draw")
    choose_players(page, PERSON, "Trained")
    page.fill('[name="no_progress_limit:N"]', "2.5")
    page.click("text=Rules where sources differ")
    page.click("#begin")
    expect(page.locator("#setup")).to_be_visible()
    expect(page.locator('[name="no_progress_limit:N"]')).to_be_focused()
    page.fill('[name="no_progress_limit:N"]', "7")
    page.keyboard.press("Enter")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#changed")).to_have_text("1 rule changed")


def test_hint_and_analysis_draw_the_turns_that_they_name(page: Page) -> None:
    begin(page, "alquerque", north="Person", position="W:Wa1,e1:Bb2,a5")
    page.click("#hint")
    expect(page.locator("#status")).to_contain_text("Hint: a1xc3")
    expect(page.locator(".arrows .head")).to_have_count(1)
    page.check("#analyse")
    expect(page.locator("#candidates tbody tr").first).to_contain_text("a1xc3")
    expect(page.locator("#bar")).to_be_visible()
    play(page, "a1", "c3")
    expect(page.locator("#curve .values")).to_have_attribute("d", re.compile("M.*L"))


def test_the_best_turn_alone_is_drawn_instead_of_the_last_one(page: Page) -> None:
    begin(page, "alquerque", north="Person", position="W:Wa1,b1,e1:Bd4,e4,e5")
    play(page, "a1", "a2")
    expect(page.locator(".travel .head")).to_have_count(1)
    page.check("#analyse")
    values = page.locator("#candidates td:last-child")
    expect(values).not_to_have_count(0)
    listed = [float(text.replace("−", "-").strip("▸")) for text in values.all_text_contents()]
    assert listed == sorted(listed, reverse=True)  # for North, who is to move
    expect(page.locator(".arrows .head")).to_have_count(1)
    expect(page.locator(".travel .head")).to_have_count(0)
    page.uncheck("#analyse")
    expect(page.locator(".travel .head")).to_have_count(1)


def test_exact_values_stand_beside_those_of_two_evaluators_and_choices_that_lose_value_are_told(page: Page) -> None:
    match = Match("felli_simplified", "W:Wa1,e1,c2:Be5")
    begin(page, "felli_simplified", north="Person", position=match.position)
    page.check("#analyse")
    known = load_table("felli_simplified").steps(match)
    words = [f"wins in {found.distance}" for found in known]
    exact = page.locator("#candidates td:nth-child(2)")
    expect(exact).to_have_text(words)
    expect(page.locator("#candidates td:first-child")).to_have_text([found.step.text for found in known])
    expect(page.locator("#candidates th")).to_contain_text(["Move", "Exact", "Search depth"])
    page.select_option("#compared", label="Medium")
    expect(page.locator("#candidates th").last).to_contain_text("Medium")
    expect(page.locator("#candidates td i", has_text="▸")).to_have_count(2)
    begin(page, "pretwa", north="Person")
    page.select_option("#evaluator", label="Exact")
    page.select_option("#compared", label="nobody")
    expect(page.locator("#candidates th")).to_have_text(["Move", "Exact"])
    expect(exact.last).to_have_text(re.compile(r"loses in \d+"))
    page.uncheck("#analyse")


def test_the_analysis_names_the_command_that_builds_a_missing_table(page: Page) -> None:
    begin(page, "draughts_english", north=PERSON)
    page.check("#analyse")
    expect(page.locator("#depth")).to_contain_text("alquerque solve draughts_english --pieces 5")
    expect(page.locator("#candidates th")).not_to_contain_text(["Exact"])
    page.uncheck("#analyse")


def test_an_analysis_that_fails_leaves_the_first_values_and_none_of_another_position(page: Page) -> None:
    begin(page, "fetaix", north="Person")
    page.check("#analyse")
    expect(page.locator("#candidates tbody tr").first).to_be_visible()
    page.route("**/api/analysis", lambda route: route.abort())
    page.select_option("#compared", label="Easy")
    expect(page.locator("#depth")).to_contain_text("The server does not answer")
    expect(page.locator("#candidates th")).to_have_count(2)
    begin(page, "awithlaknannai_mosona", north="Person")
    expect(page.locator("#candidates tbody tr")).to_have_count(0)
    expect(page.locator("#bar span")).to_have_text("…")
    page.unroute("**/api/analysis")
    page.uncheck("#analyse")


def test_an_evaluator_that_would_lose_value_is_told_in_words(page: Page) -> None:
    """The server's answer about a win is changed into one in which the evaluator plays a step that draws."""

    def misjudge(route: Route) -> None:
        told = route.fetch().json()
        told["candidates"][-1]["exact"] = {"words": "draw", "least": 0, "most": 0}
        told["choice"] = told["candidates"][-1]["step"]["text"]
        route.fulfill(json=told)

    page.route("**/api/analysis", misjudge)
    begin(page, "felli_simplified", north="Person", position="W:Wa1,e1,c2:Be5")
    page.check("#analyse")
    expect(page.locator("#differences li")).to_have_text(
        re.compile(r"✗ Search would play c2-c1, which is a draw; \S+ wins in 7\.")
    )
    expect(page.locator("#candidates .loses i")).to_have_text("✗")
    page.unroute("**/api/analysis")
    page.uncheck("#analyse")


def test_two_bots_play_and_can_be_paused(page: Page) -> None:
    choose_game(page, "alquerque", "Beginner", "Beginner")
    expect(page.locator("#turns button").nth(1)).to_be_visible()
    page.click("#pause")
    page.wait_for_timeout(900)
    before = turns(page)
    page.wait_for_timeout(900)
    assert turns(page) == before
    expect(page.locator("#status")).to_contain_text("Paused.")
    page.click("#pause")
    expect(page.locator("#turns button").nth(len(before))).to_be_visible()


def test_resigning_ends_the_match_and_says_why(page: Page) -> None:
    begin(page, "alquerque", north="Easy")
    page.on("dialog", lambda dialogue: dialogue.accept())
    page.click("#resign")
    expect(page.locator("#status")).to_have_text("The bot wins: you resigned.")
    page.click("#rematch")
    expect(page.locator("#seat-0 option:checked")).to_have_text("Bot: Easy")
    expect(page.locator("#turns button")).to_have_count(1)
    page.click("#resign")
    expect(page.locator("#status")).to_have_text("The bot wins: you resigned.")


def test_a_long_board_stands_upright_on_an_upright_phone_alone(phone: Page) -> None:
    begin(phone, "kolowis_awithlaknannai", north="Person")
    assert spot(phone, "af1").bounding_box()["width"] >= 24
    for label in ("af1", "ag2"):
        wait_until_still(phone)
        spot(phone, label).tap()
    expect(phone.locator("#turns button")).to_have_text(["af1-ag2"])

    def ends() -> tuple[dict, dict, dict]:
        return tuple(spot(phone, label).bounding_box() for label in ("b1", "af1", "b3"))

    west, east, north = ends()
    assert (west["x"], west["y"] < east["y"], west["x"] < north["x"]) == (east["x"], True, True)
    head = phone.locator(".travel .head").bounding_box()
    target = spot(phone, "ag2").bounding_box()
    assert abs(head["x"] - target["x"]) < target["width"]
    assert abs(head["y"] - target["y"]) < target["height"]
    phone.click("#turn")
    wait_until_still(phone)
    west, east, north = ends()
    assert (west["y"] > east["y"], west["x"] > north["x"]) == (True, True)
    phone.set_viewport_size({"width": 844, "height": 390})
    expect(phone.locator("#board svg")).to_have_attribute("viewBox", re.compile(r"^\S+ \S+ [1-9]\d{3}"))
    west, east, _ = ends()
    assert (west["x"] > east["x"], west["y"]) == (True, east["y"])


@pytest.mark.parametrize(
    "name", ["alquerque", "awithlaknannai_mosona", "draughts_international", "gol_skuish", "kolowis_awithlaknannai"]
)
def test_the_whole_board_is_seen_on_a_phone_and_the_analysis_does_not_widen_it(phone: Page, name: str) -> None:
    begin(phone, name, north="Person")
    phone.check("#analyse")
    expect(phone.locator("#candidates tbody tr").first).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.locator("#board svg").scroll_into_view_if_needed()
    box = phone.locator("#board svg").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] <= PHONE["height"]
    phone.uncheck("#analyse")


def test_messages_do_not_move_the_buttons(phone: Page) -> None:
    begin(phone, "alquerque", north="Person", position="W:Wb3,a1:Bb4,b5,c3,d3,e5:Ub3-a3")
    before = phone.locator("#resign").bounding_box()
    play(phone, "b3")
    expect(phone.locator("#status")).to_have_text("The piece on b3 may not go back to a3, and no other point is free.")
    expect(phone.locator(".cross.forbidden:not(.rim)")).to_have_count(1)
    assert phone.locator("#resign").bounding_box() == before
    play(phone, "a1")
    expect(phone.locator("#status")).to_have_text("South to move. Tap a marked point to move there.")
    expect(phone.locator(".cross.forbidden")).to_have_count(0)
    assert phone.locator("#resign").bounding_box() == before


def test_a_chain_that_must_turn_says_where_it_may_not_go_on(phone: Page) -> None:
    begin(phone, "fanorona", north="Person", position="B:Wg1,a2:Be3:Ce3:Ad2:Vf4")
    play(phone, "d2")
    expect(phone.locator("#status")).to_have_text("The piece on e3 may not go straight on to d2.")
    expect(spot(phone, "d2")).to_have_attribute("aria-label", re.compile("no way straight on"))


@pytest.mark.parametrize(
    "end", ["Escape", "f", "another button", "another window", "a cancelled touch", "another piece"]
)
def test_a_drag_that_ends_without_a_drop_puts_the_piece_back(page: Page, end: str) -> None:
    begin(page, "alquerque", north="Person")
    standing = page.locator("#status").inner_text()
    box = spot(page, "c2").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - box["height"], steps=4)
    expect(page.locator(".ghost")).to_have_count(1)
    if end == "another button":
        page.mouse.down(button="right")
    elif end == "another window":
        page.evaluate("dispatchEvent(new Event('blur'))")
    elif end == "a cancelled touch":
        page.evaluate("document.querySelector('#board .points').releasePointerCapture(1)")
        page.mouse.move(x, y - box["height"] - 1)
    elif end == "another piece":
        spot(page, "b2").press("Enter")
        page.mouse.move(x - 3 * box["width"], y)
    else:
        page.keyboard.press(end)
        wait_until_still(page)
    if end != "another piece":
        expect(page.locator(".ghost")).to_have_count(0)
    page.mouse.up()
    page.mouse.up(button="right")
    wait_until_still(page)
    assert turns(page) == []
    for label in ("b2", "c2"):
        at = f"{spot(page, label).get_attribute('cx')} {spot(page, label).get_attribute('cy')}"
        expect(page.locator(f'.pieces > .piece[data-at="{label}"]')).to_have_attribute("transform", f"translate({at})")
    assert page.locator(".pieces > .piece").count() == 24
    if end == "Escape":
        assert page.locator("#status").inner_text() == standing
        expect(page.locator(".targets > *")).to_have_count(0)


def test_a_finger_leaves_no_highlight_and_no_ring_of_the_focus(phone: Page) -> None:
    begin(phone, "alquerque", north="Person")
    shown = "() => [...document.querySelectorAll('.spot:focus-visible')].map((each) => each.dataset.at)"
    for label in ("c2", "c3"):
        spot(phone, label).tap()
        wait_until_still(phone)
        assert phone.evaluate(shown) == []
    phone.set_viewport_size({"width": 844, "height": 390})
    assert phone.evaluate(shown) == []
    expect(spot(phone, "c3")).to_have_css("-webkit-tap-highlight-color", "rgba(0, 0, 0, 0)")
    phone.keyboard.press("Tab")
    phone.keyboard.press("Shift+Tab")
    assert phone.evaluate(shown) == ["c3"]


def test_a_bot_that_thinks_long_can_be_told_to_move(browser: Browser) -> None:
    with served_in_thread(seconds=30) as address:
        for page in open_page(browser, address):
            begin_to_think = time.monotonic()
            choose_game(page, "draughts_international", "Expert", "Person")
            page.click("#move-now")
            expect(page.locator("#turns button")).to_have_count(1)
            expect(page.locator("#move-now")).to_be_hidden()
            assert time.monotonic() - begin_to_think < 30


def test_a_server_that_does_not_answer_changes_nothing(page: Page) -> None:
    begin(page, "alquerque", north="Person")
    play(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    page.route("**/api/*", lambda route: route.abort())
    play(page, "c4", "c2")
    expect(page.locator("#problem")).to_contain_text("The server does not answer")
    page.select_option("#seat-1", label="Bot: Easy")
    wait_until_still(page)
    expect(page.locator("#turns button")).to_have_text(["c2-c3"])
    expect(page.locator('.pieces > .piece[data-at="c4"]')).to_have_count(1)
    page.unroute("**/api/*")
    play(page, "c4", "c2")
    expect(page.locator("#turns button")).to_have_text(["c2-c3", "c4xc2"])
    expect(page.locator("#problem")).to_have_text("")


def drag_by_touch(page: Page, origin: str, target: str) -> None:
    """Touches like a finger, so that the browser scrolls if the page does not handle the touch."""
    session = page.context.new_cdp_session(page)
    (x, y), (to_x, to_y) = centre(page, origin), centre(page, target)
    for part in range(9):
        at = {"x": x + (to_x - x) * part / 8, "y": y + (to_y - y) * part / 8}
        kind = "touchMove" if part else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
        page.wait_for_timeout(20)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize(
    ("name", "origin", "target"), [("alquerque", "c2", "c3"), ("awithlaknannai_mosona", "j1", "i2")]
)
def test_dragging_by_touch_does_not_scroll_the_page(phone: Page, name: str, origin: str, target: str) -> None:
    begin(phone, name, north="Person")
    drag_by_touch(phone, origin, target)
    expect(phone.locator("#turns button")).to_have_text([f"{origin}-{target}"])
    assert phone.evaluate("scrollY") == 0


def test_a_second_finger_does_not_start_another_drag(phone: Page) -> None:
    begin(phone, "alquerque", north="Person")
    session = phone.context.new_cdp_session(phone)
    at = {label: centre(phone, label) for label in ("c2", "c3", "d2", "d3")}

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        phone.wait_for_timeout(20)

    halfway = tuple((a + b) / 2 for a, b in zip(at["c2"], at["c3"], strict=True))
    touch("touchStart", at["c2"])
    touch("touchMove", halfway)
    touch("touchStart", halfway, at["d2"])
    touch("touchMove", at["c3"], at["d3"])
    touch("touchEnd")
    expect(phone.locator("#turns button")).to_have_text(["c2-c3"])


@pytest.mark.parametrize("name", ["alquerque", "awithlaknannai_mosona"])
def test_a_phone_on_its_side_shows_board_and_status(phone_on_its_side: Page, name: str) -> None:
    page = phone_on_its_side
    begin(page, name, north="Easy")
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    for part in ("#board svg", "#status", "#seat-top", "#seat-bottom", "#undo", "#resign"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    board = page.locator("#board svg").bounding_box()
    assert board["height"] > 0.75 * height or board["width"] > 0.55 * width


@pytest.mark.parametrize("stop", ["#pause", "#undo"])
def test_a_person_takes_over_from_a_bot(page: Page, stop: str) -> None:
    choose_game(page, "alquerque", "Beginner", "Beginner")
    expect(page.locator("#turns button").nth(2)).to_be_visible()
    page.click(stop)
    wait_until_still(page)
    expect(page.locator("#status")).to_contain_text("Paused.")
    to_move = "#seat-top" if "to-move" in page.locator("#seat-top").get_attribute("class") else "#seat-bottom"
    other = {"#seat-top": "#seat-bottom", "#seat-bottom": "#seat-top"}[to_move]
    before = len(turns(page))
    page.select_option(f"{other} select", label="You")
    expect(page.locator("#turns button")).to_have_count(before + 1)
    expect(page.locator("#status")).not_to_contain_text("Paused")


def test_a_turn_is_kept_if_the_page_is_reloaded_during_the_animation(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, slow=True):
        begin(page, "alquerque", north="Person")
        spot(page, "c2").click()
        spot(page, "c3").click()
        page.reload()
        expect(page.locator("#turns button")).to_have_text(["c2-c3"])


def test_a_long_file_is_paged_through_fifty_matches_at_a_time(page: Page, tmp_path: Path) -> None:
    """It is longer than what one request carries, and in Latin-1 with the line ends of Windows."""
    match = '[GameType "20"]\r\n[White "Andr\u00e9 NUMBER"]\r\n\r\n1. 32-28 {' + 20_000 * "x" + "} 1-1\r\n\r\n"
    file = tmp_path / "matches.pdn"
    damaged = match.replace("1. 32-28", "1. 32-29")
    texts = [(damaged if number == 2 else match).replace("NUMBER", str(number)) for number in range(1, 61)]
    file.write_bytes("".join(texts).encode("latin-1"))
    open_record(page)
    page.set_input_files("#open-file", file)
    loaded = page.locator("#loaded")
    expect(loaded).to_contain_text("This file is not in UTF-8 and is read as Latin-1")
    expect(loaded).to_contain_text("match 2, line 9, turn 1 of South: 32-29 is not legal")
    expect(loaded.locator("button").first).to_contain_text("1. International draughts: Andr\u00e9 1 \u2013 a person")
    loaded.get_by_text("Later matches").click()
    expect(loaded.locator("button").first).to_have_text("Earlier matches")
    expect(loaded.locator("button").nth(1)).to_contain_text(". International draughts: Andr\u00e9 ")
    shown = loaded.locator("button").nth(1).inner_text()
    assert shown.split(".")[0] == shown.split("Andr\u00e9 ")[1].split()[0]
    while loaded.get_by_text("Later matches").count():
        number = loaded.locator("button").nth(1).inner_text().split(".")[0]
        loaded.get_by_text("Later matches").click()
        expect(loaded.locator("button").nth(1)).not_to_contain_text(f"{number}. ")
    expect(loaded.locator("button").last).to_contain_text("60. International draughts: Andr\u00e9 60")
    loaded.locator("button").last.click()
    expect(page.locator("#turns button")).to_have_text(["32-28"])


def test_a_bot_that_fails_loses_and_one_that_does_not_answer_can_be_asked_again(page: Page) -> None:
    begin(page, "alquerque", north="Easy")
    lost = {"error": "mine failed: a1-e5 is no turn here", "bot_failed": True}
    page.route("**/api/turn", lambda route: route.fulfill(status=400, json=lost))
    play(page, "c2", "c3")
    expect(page.locator("#status")).to_contain_text("You win: mine failed: a1-e5 is no turn here")
    open_record(page)
    expect(page.locator("#record-text")).to_have_value(re.compile(r'\[Result "1-0"\]'))
    page.keyboard.press("Escape")
    page.unroute("**/api/turn")
    page.route("**/api/turn", lambda route: route.abort())
    page.click("#undo")
    expect(page.locator("#status")).to_contain_text("The bot did not answer.")
    page.unroute("**/api/turn")
    page.click("#ask-again")
    expect(page.locator("#turns button")).to_have_count(2)
    expect(page.locator("#ask-again")).to_be_hidden()


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_stops_at_once_during_a_search(number: int) -> None:
    with served_by("--seconds", "60") as (process, address):
        body = json.dumps({"match": {"game": "fetaix", "options": {}, "start": None, "steps": []}, "seconds": 60})
        asked = Request(f"{address}api/analysis", body.encode(), {"content-type": "application/json"})
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(urlopen, asked)
            time.sleep(2)
            process.send_signal(number)
            with pytest.raises(HTTPError, match="503") as refusal:
                answer.result(timeout=20)
            refusal.value.close()  # it is the answer, with a socket
        process.wait(20)
        assert "Traceback" not in process.stdout.read()
