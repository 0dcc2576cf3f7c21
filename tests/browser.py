"""Servers and a real browser, for tests of the page."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import Browser, Playwright

from alquerque_env.cli.commands.web import listen
from alquerque_env.web.app import make_app
from alquerque_env.web.server import make_server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
# Without these it looks for updates and the like, which a machine without a network answers slowly.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CALM = {"ui.prefersReducedMotion": 1}
"""Settings of Firefox, which is told so by these and not by `new_context`."""

BOTH_ENGINES = pytest.mark.parametrize(
    "browser",
    ["chromium", pytest.param("firefox", marks=pytest.mark.skipif(FIREFOX is None, reason="no Firefox is installed"))],
    indirect=True,
    scope="module",
)
"""The mark of a test that the fixture `browser` runs in Firefox too."""


def launch(playwright: Playwright, engine: str = "chromium") -> Browser:
    """Starts an installed browser; Firefox is driven by WebDriver BiDi, which needs no build of its own."""
    if engine == "firefox":
        return playwright.firefox.launch(channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=CALM)
    return playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(*arguments: str, port: int | None = None) -> Iterator[str]:
    """The address of `alquerque web` in a process of its own."""
    with served_by(*arguments, port=port) as (_, address):
        yield address


@contextmanager
def served_by(*arguments: str, port: int | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process of `alquerque web` and its address."""
    number = str(port or free_port())
    command = [sys.executable, "-m", "alquerque_env", "web", "--no-browser", "--port", number, *arguments]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        yield process, found[0]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def served_in_thread(*, port: int | None = None, seconds: float = 0.5, **app: object) -> Iterator[str]:
    """The address of a server in this process, which starts and stops faster than a process."""
    listener = listen(port or free_port())
    server = make_server(partial(make_app, seconds=seconds, **app))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
