"""What stands on the page before its first board: its list of scripts, an outline, a word where none can begin."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from alquerque_env.web.app import STATIC
from tests.browser import CHROMIUM

WATCH = """new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.moved = (window.moved ?? 0) + value;
}).observe({ type: "layout-shift", buffered: true });"""


def test_all_scripts_are_fetched_side_by_side() -> None:
    preloaded = re.findall(r'<link rel="modulepreload" href="static/(\w+\.js)"', (STATIC / "index.html").read_text())
    assert sorted(preloaded) == sorted(path.name for path in STATIC.glob("*.js"))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_nothing_moves_when_the_board_comes_and_a_file_says_why_none_comes(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    for width, height in ((390, 844), (1440, 900)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.add_init_script(WATCH)
        page.route("**/api/games", lambda _: None)
        page.goto(address)
        expect(page.get_by_text("Loading")).to_be_visible()
        page.unroute("**/api/games")
        page.reload()
        expect(page.locator(".pieces > .piece")).to_have_count(24)
        assert page.evaluate("window.moved ?? 0") < 0.01
        page.close()
    shutil.copytree(STATIC, tmp_path / "static")
    page = browser.new_page()
    page.goto((tmp_path / "static/index.html").rename(tmp_path / "index.html").as_uri())
    expect(page.get_by_text("opened as a file")).to_be_visible()
    page.close()
