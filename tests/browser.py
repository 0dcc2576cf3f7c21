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

from alquerque_env.cli.commands.web import listen
from alquerque_env.web.app import make_app
from alquerque_env.web.server import make_server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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
