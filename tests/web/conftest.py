"""A browser and a server for the tests of a module."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.testclient import TestClient

from alquerque_env import games
from alquerque_env.web.app import make_app
from tests.browser import launch, served_in_thread
from tests.web.asked import HOST
from tests.web.on_the_page import PHONE, open_page


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright, getattr(request, "param", "chromium"))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served_in_thread() as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address)


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address, viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(seconds=0.3, offered={"greedy": games()}), base_url=HOST) as client:
        yield client
