"""What tests do on the page in a real browser: they open it, begin matches, and play."""

import json
from collections.abc import Iterator

from playwright.sync_api import Browser, BrowserContext, Page, expect

PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000  # milliseconds, on a busy machine
PERSON = "Person"
"""A person in a seat, for `begin`."""

A_MATCH = {"game": "fetaix", "options": {}, "start": None, "steps": ["c2-c3"]}
NO_STORAGE = """
for (const name of ["localStorage", "sessionStorage", "caches"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
}
"""
"""What a browser does that blocks the data of sites."""
LEFT = """
() => new Promise((done) => {
  if (history.state === null) done();
  else addEventListener("popstate", () => done(), { once: true });
})
"""
"""Waits until the entry of what was closed in the history is left."""

expect.set_options(timeout=PATIENCE)


def open_page(browser: Browser, address: str, *, slow: bool = False, before: str = "", **how: object) -> Iterator[Page]:
    """A page of its own that must not complain of anything; a slow one shows how pieces move.

    `before` is a script that runs before those of the page.
    """
    context = browser.new_context(reduced_motion="no-preference" if slow else "reduce", **how)
    context.set_default_timeout(PATIENCE)
    if before:
        context.add_init_script(before)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(address)
    wait_until_still(page)
    yield page
    context.close()
    # The browser notes what a test asks for: refusals are answered with 400, requests cut off by the test fail.
    asked_for = "400 (Bad Request)", "net::ERR_FAILED"
    assert [text for text in complaints if not any(words in text for words in asked_for)] == []


def open_tab(within: Browser | BrowserContext, address: str) -> Page:
    """A page in a browser or beside the others of its context, when it has begun."""
    page = within.new_page()
    page.goto(address)
    wait_until_still(page)
    return page


def begin(page: Page, game: str, south: str = "Person", north: str = "Beginner", **how: object) -> None:
    choose_game(page, game, south, north, **how)
    wait_until_still(page)


def choose_game(
    page: Page, game: str, south: str, north: str, position: str = "", options: dict[str, int | str] | None = None
) -> None:
    page.click("#open-setup")
    choose_card(page, game)
    if options:
        page.click("text=Rules where sources differ")
    for name, value in (options or {}).items():
        page.select_option(f'[name="{name}"]', "N" if isinstance(value, int) else f'"{value}"')
        if isinstance(value, int):
            page.fill(f'[name="{name}:N"]', str(value))
    choose_players(page, south, north)
    if position:
        page.click("text=Start from a position")
        page.fill("#start", position)
    page.click("#begin")
    expect(page.locator("#setup")).to_be_hidden()


def choose_card(page: Page, game: str) -> None:
    """Chooses a game in the dialog."""
    page.locator(f'#cards [value="{game}"]').check(force=True)
    wait_for_players(page)


def wait_for_players(page: Page) -> None:
    """Waits until the dialog knows who can play by the chosen rules."""
    page.wait_for_selector("#opponents[aria-busy=false]", state="attached", timeout=PATIENCE)


def choose_players(page: Page, south: str, north: str) -> None:
    """Chooses the players in the dialog: a person, or a bot by its name."""
    persons = [name == PERSON for name in (south, north)]
    wait_for_players(page)
    if not any(persons):
        page.get_by_label("Two bots, to watch").check(force=True)
        page.select_option("#south", label=south)
        page.select_option("#north", label=north)
        return
    opponent = "Another person here" if all(persons) else north if persons[0] else south
    page.get_by_role("radio", name=opponent, exact=True).check(force=True)
    if not all(persons):
        page.locator(f'#side-chips [value="{persons.index(True)}"]').check(force=True)


def open_record(page: Page) -> None:
    """Opens the dialog of the match file with its text unfolded."""
    page.locator("#record-details").evaluate("(details) => (details.open = true)")
    press_in_header(page, "#open-record")


def press_in_header(page: Page, button: str) -> None:
    """Presses a button of the header, which a phone has in a menu."""
    if page.locator("#open-menu").is_visible():
        page.click("#open-menu")
    page.click(button)


def wait_until_still(page: Page) -> None:
    """Waits until what was done last has come through."""
    page.wait_for_selector("body:not([inert]) #field[aria-busy=false]", state="attached", timeout=PATIENCE)


def spot(page: Page, label: str) -> object:
    return page.locator(f'.spot[data-at="{label}"]')


def play(page: Page, *labels: str) -> None:
    for label in labels:
        wait_until_still(page)
        spot(page, label).click()


def turns(page: Page) -> list[str]:
    return page.locator("#turns button").all_inner_texts()


def move_somehow(page: Page) -> None:
    """Plays the first thing that the page offers."""
    goals = page.locator('.spot[aria-label*="legal target"], .spot[aria-label*="can be captured"]')
    if not goals.count():
        if not page.locator('.spot[aria-label*="can move"]').count():
            page.click("#pass")
            wait_until_still(page)
            return
        page.locator('.spot[aria-label*="can move"]').first.click()
    goals.first.click()
    if page.locator("#choices:not([hidden]) button").count():
        page.locator("#choices button").first.click()
    wait_until_still(page)


def as_text(state: object) -> str:
    return state if isinstance(state, str) else json.dumps(state)


def put(page: Page, storage: str, **states: object) -> None:
    stored = {f"alquerque.match{'.' if key else ''}{key}": as_text(state) for key, state in states.items()}
    page.evaluate(f"(stored) => {{ {storage}.clear(); Object.assign({storage}, stored) }}", stored)


def load(page: Page, text: str) -> None:
    """Loads a match file that is typed into the dialog."""
    open_record(page)
    page.fill("#record-text", f"{text}\n")
    page.click("#load-record")
    expect(page.locator("#record")).to_be_hidden()
    wait_until_still(page)


def report(page: Page) -> None:
    page.click("#report")
    expect(page.locator("#reported")).to_be_visible()
