"""Every game of the page and of the static page opens and is played, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM
from file_host import hosted
from playwright.sync_api import Browser, Page, expect
from test_page import begin, move_somehow, open_page, turns

from alquerque_env import games, load_game
from alquerque_env.web.site.site_folder import write_site

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("hosted") / "site"
    write_site(folder, [load_game(name) for name in games()], load_game("fetaix"))
    with hosted(folder) as host:
        yield host.address


@pytest.fixture(params=["address", "site"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    yield from open_page(browser, request.getfixturevalue(request.param), service_workers="block")


def test_a_person_and_a_bot_play_a_turn_of_every_game(page: Page) -> None:
    for name in games():
        begin(page, name)
        expect(page.locator("#title")).to_have_text(load_game(name).title)
        while len(turns(page)) < 2:
            move_somehow(page)
        expect(page.locator("#problem")).to_be_empty()
