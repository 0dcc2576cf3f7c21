"""Variations on the page: a step in another position than that of the match stands beside it, and is kept."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import CHROMIUM
from tests.web.on_the_page import A_MATCH, LEFT, begin, load, open_record, play, put, turns, wait_until_still

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

GAME = '[Game "alquerque_murray"]\n\n'
TREE = "1. c2-c3 (1. d2-c3 b4xd2 (1... d4xd2 2. d1xd3) 2. e1xc3) 1... c4xc2 2. c1xc3 *"


def written(page: Page) -> str:
    """The turns in the match file."""
    wait_until_still(page)
    open_record(page)
    expect(page.locator("#record")).to_be_visible()
    text = page.input_value("#record-text")
    page.click("#record .closing button")
    page.evaluate(LEFT)  # else that would stop a reload
    return " ".join(text.partition("\n\n")[2].split())


def main_line(page: Page) -> list[str]:
    return page.locator("#turns > li > button").all_inner_texts()


def variation(page: Page, turn: str) -> object:
    return page.locator(".variations button", has_text=turn)


def test_comments_of_a_file_stand_beside_their_moves_and_are_written_again(page: Page) -> None:
    turns = "{a plan} 1. c2-c3 {good} (1. d2-c3 {worse} 1... d4xd2) 1... c4xc2 {forced} *"
    load(page, GAME + turns)
    expect(page.locator("#turns .comment")).to_have_text(["a plan", "c2-c3: good", "worse", "c4xc2: forced"])
    expect(page.locator(".variations .comment")).to_have_text("worse")
    assert written(page) == turns
    play(page, "c1", "c3")
    assert written(page) == turns.replace("{forced}", "{forced} 2. c1xc3")
    page.reload()
    assert written(page) == turns.replace("{forced}", "{forced} 2. c1xc3")


def test_a_step_in_an_earlier_position_is_a_variation_and_the_match_stays(page: Page) -> None:
    begin(page, "alquerque_murray", north="Person")
    play(page, "c2", "c3", "c4", "c2")
    page.click("#first")
    play(page, "d2", "c3", "b4", "d2")  # of both sides
    wait_until_still(page)
    expect(page.locator("#status")).to_contain_text("Variation.")
    expect(page.locator("#turns [aria-current]")).to_have_text("b4xd2")
    assert main_line(page) == ["c2-c3", "c4xc2"]
    page.keyboard.press("Escape")
    page.locator("#turn").focus()
    page.keyboard.press("ArrowLeft")
    play(page, "d4", "d2")
    assert written(page) == "1. c2-c3 (1. d2-c3 b4xd2 (1... d4xd2)) 1... c4xc2 *"
    page.click("#first")
    play(page, "c2", "c3")  # what was played is no variation
    expect(page.locator("#turns [aria-current]")).to_have_text("c2-c3")
    expect(page.locator("#turns button")).to_have_count(5)
    page.click("#last")
    play(page, "d2", "c3")
    wait_until_still(page)
    assert main_line(page) == ["c2-c3", "c4xc2", "d2-c3"]
    page.reload()
    assert written(page) == "1. c2-c3 (1. d2-c3 b4xd2 (1... d4xd2)) 1... c4xc2 2. d2-c3 *"


def test_a_bot_goes_on_while_somebody_looks_at_earlier_positions(page: Page) -> None:
    begin(page, "alquerque_murray", north="Medium")
    held: list[Route] = []
    page.route("**/api/turn", lambda route: held.append(route))
    play_without_waiting(page, "c2", "c3")
    expect(page.locator("#turns button")).to_have_count(1)
    page.wait_for_selector("#field[aria-busy=true]", state="attached")
    while not held:
        page.wait_for_timeout(20)
    page.click("#first")
    expect(page.locator("#status")).to_contain_text("Earlier position.")
    for label in ("d2", "c3"):
        page.locator(f'.spot[data-at="{label}"]').click()
    expect(page.locator(".variations button")).to_have_text(["d2-c3"])
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("#turns > li > button")).to_have_count(2)
    expect(page.locator("#status")).to_contain_text("Variation. The bot's turn.")
    expect(page.locator("#turns [aria-current]")).to_have_text("d2-c3")
    wait_until_still(page)
    assert len(held) == 1
    page.unroute("**/api/turn")
    page.click("#last")
    expect(page.locator("#status")).to_contain_text("Your turn.")


def play_without_waiting(page: Page, *labels: str) -> None:
    for label in labels:
        page.locator(f'.spot[data-at="{label}"]').click()


def test_a_variation_is_promoted_and_deleted(page: Page) -> None:
    load(page, GAME + TREE)
    assert written(page) == TREE
    variation(page, "d1xd3").click()
    page.click("#promote")
    wait_until_still(page)
    expect(page.locator("#turns [aria-current]")).to_have_text("d1xd3")
    assert written(page) == "1. c2-c3 (1. d2-c3 d4xd2 (1... b4xd2 2. e1xc3) 2. d1xd3) 1... c4xc2 2. c1xc3 *"
    variation(page, "b4xd2").click()
    page.click("#delete-variation")
    wait_until_still(page)
    expect(page.locator("#turns [aria-current]")).to_have_text("d2-c3")
    assert written(page) == "1. c2-c3 (1. d2-c3 d4xd2 2. d1xd3) 1... c4xc2 2. c1xc3 *"
    expect(page.locator("#promote")).to_have_text("Make it the main line")
    page.click("#promote")
    wait_until_still(page)
    said = page.locator("#problem")
    expect(said).to_contain_text("a match of its own")
    expect(said).to_have_css("color", page.locator("#aim").evaluate("aim => getComputedStyle(aim).color"))
    assert main_line(page) == ["d2-c3", "d4xd2", "d1xd3"]
    assert written(page) == "1. d2-c3 (1. c2-c3 c4xc2 2. c1xc3) 1... d4xd2 2. d1xd3 *"
    page.click("#open-setup")
    page.click("text=Resume an earlier match")
    page.locator("#earlier button", has_text="3 moves").first.click()
    wait_until_still(page)
    assert written(page) == "1. c2-c3 (1. d2-c3 d4xd2 2. d1xd3) 1... c4xc2 2. c1xc3 *"


def test_the_tree_is_used_by_keyboard_and_read_by_screen_readers(page: Page) -> None:
    load(page, GAME + TREE)
    page.locator("#turns button").first.focus()
    reached = []
    for _ in range(8):
        reached.append(page.evaluate("document.activeElement.textContent"))
        page.keyboard.press("ArrowDown")
    assert reached == turns(page) == ["c2-c3", "c4xc2", "d2-c3", "b4xd2", "d4xd2", "d1xd3", "e1xc3", "c1xc3"]
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_until_still(page)
    assert page.evaluate("document.activeElement.textContent") == "d1xd3"
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#turns [aria-current]")).to_have_text("d4xd2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turns [aria-current]")).to_have_text("d1xd3")
    expect(page.get_by_role("list", name="Variation").first.get_by_role("listitem").first).to_contain_text("d2-c3")
    expect(page.locator("#promote")).to_be_visible()


def test_a_resigned_match_goes_on_as_a_variation(page: Page) -> None:
    begin(page, "alquerque_murray", north="Person")
    play(page, "c2", "c3")
    page.on("dialog", lambda dialogue: dialogue.accept())
    page.click("#resign")
    play(page, "c4", "c2")
    assert main_line(page) == ["c2-c3"]
    assert written(page) == "1. c2-c3 (1. c2-c3 c4xc2) 1-0"
    page.click("#last")
    expect(page.locator("#status")).to_contain_text("North resigned.")


def test_analysis_follows_a_variation(page: Page) -> None:
    load(page, GAME + TREE)
    page.check("#analyse")
    variation(page, "d4xd2").click()
    wait_until_still(page)
    expect(page.locator("#candidates td", has_text="d1xd3").first).to_be_visible()
    expect(page.locator("#curve svg")).to_have_attribute("aria-label", "Value over 3 turns")
    page.locator("#curve").click(position={"x": 1, "y": 5})  # which waits for its place, below a table that grows
    expect(page.locator("#status")).to_have_text("Earlier position. South to move.")


EDITED = {"match": {**A_MATCH, "game": "alquerque_murray"}, "seats": ["human", "human"]}


@pytest.mark.parametrize(
    ("variations", "kept", "said"),
    [
        ([["d2-c3", "b4xd2"], ["d2-c3", "a1-a9"]], "1. c2-c3 (1. d2-c3 b4xd2) *", "Variation 2 is kept up to step 1"),
        ([["nonsense"], ["d2-c3"]], "1. c2-c3 (1. d2-c3) *", "Variation 1 is left out: its step 1, nonsense, is not"),
        ([["d2-c3"] * 6000], "1. c2-c3 *", "The variations cannot be shown:"),
        ([[]], "1. c2-c3 *", ""),
        ("d2-c3", "1. c2-c3 *", ""),
        ([["d2-c3"], [7]], "1. c2-c3 (1. d2-c3) *", ""),
    ],
)
def test_an_edited_variation_leaves_the_match_as_it_is(page: Page, variations: object, kept: str, said: str) -> None:
    put(page, "sessionStorage", **{"": {**EDITED, "variations": variations, "line": ["d2-c3", "x"], "cursor": 2}})
    page.reload()
    wait_until_still(page)
    expect(page.locator("#problem")).to_contain_text(said) if said else expect(page.locator("#problem")).to_be_empty()
    assert main_line(page) == ["c2-c3"]
    if "cannot be shown" not in said:
        assert written(page) == kept
    page.click("#last") if page.locator("#last").is_enabled() else None
    play(page, "c4", "c2")
    wait_until_still(page)
    assert main_line(page) == ["c2-c3", "c4xc2"]


def test_of_a_stored_match_that_is_not_legal_to_its_end_the_beginning_is_shown_and_all_is_kept(page: Page) -> None:
    old = {**EDITED, "id": "old", "match": {**EDITED["match"], "steps": ["c2-c3", "c4xc2", "a1-a9", "c5-c4"]}}
    put(page, "sessionStorage", **{"": old})
    page.reload()
    wait_until_still(page)
    expect(page.locator("#problem")).to_contain_text("Step 3 of this match, a1-a9, is not legal")
    assert main_line(page) == ["c2-c3", "c4xc2"]
    assert page.evaluate("JSON.parse(localStorage['alquerque.match.old']).match.steps.length") == 4
