"""What stands on the page before its first board: its list of scripts, an outline, a word where none can begin."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from alquerque_env.web.app import STATIC
from tests.browser import CHROMIUM

INDEX = (STATIC / "index.html").read_text(encoding="utf-8")


def test_all_scripts_are_fetched_side_by_side() -> None:
    preloaded = re.findall(r'<link rel="modulepreload" href="static/(\w+\.js)"', INDEX)
    assert sorted(preloaded) == sorted(path.name for path in STATIC.glob("*.js"))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_nothing_moves_when_the_board_comes_and_a_file_says_why_none_comes(browser: Browser, address: str) -> None:
    watch = """new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) window.moved = (window.moved ?? 0) + value;
    }).observe({ type: "layout-shift", buffered: true });"""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    for width, height in ((390, 844), (1440, 900)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.add_init_script(watch)
        page.route("**/api/games", hold)
        page.goto(address)
        expect(page.locator("#loading")).to_have_text(re.compile(r"Loading"))
        expect(page.locator(".late")).to_be_hidden()
        waiting.pop().continue_()
        expect(page.locator(".pieces > .piece")).to_have_count(24)
        assert page.evaluate("window.moved ?? 0") < 0.01
        page.close()
    page = browser.new_page()
    page.goto((STATIC / "index.html").as_uri())
    expect(page.locator(".late")).to_be_visible()
    expect(page.locator(".late")).to_contain_text("opened as a file")
    page.close()
