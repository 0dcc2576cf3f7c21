"""Takes the picture of the page in the documentation: `python docs/photograph_page.py`.

Needs the extras `web` and `dev`, and Chromium.
"""

import re
import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

sys.path.append(str(Path(__file__).parent.parent))
from tests.browser import CHROMIUM, FLAGS, served

PICTURE = Path(__file__).parent / "images" / "page.png"
STEPS = "c2 c3 c4 c2 c1 c3 a3 c1 c3 a3 b4 c4"
"""Origin and target of each step of a match of `alquerque`."""
READY = "#field[aria-busy=false]"

with served() as address, sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    page = browser.new_page(viewport={"width": 1160, "height": 960}, color_scheme="light", reduced_motion="reduce")
    page.goto(address)
    page.wait_for_selector(READY, state="attached")
    page.click("#open-setup")
    page.locator('#cards [value="alquerque"]').check(force=True)
    page.get_by_label("Another person here").check(force=True)
    page.click("#begin")
    expect(page.locator("#setup")).to_be_hidden()
    for label in STEPS.split():
        page.wait_for_selector(READY, state="attached")
        page.click(f'.spot[data-at="{label}"]')
    page.check("#analyse")
    page.select_option("#compared", label="Trained")
    expect(page.locator("#candidates th").last).to_contain_text("Trained", timeout=60_000)
    turns = len(STEPS.split()) // 2
    expect(page.locator("#curve .values")).to_have_attribute(
        "d", re.compile(f"M[^L]*(L[^L]*){{{turns}}}$"), timeout=60_000
    )
    page.screenshot(path=PICTURE)
    browser.close()
