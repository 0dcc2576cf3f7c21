"""The server of the page under load: idle, slow and flooding clients keep nobody else out."""

import asyncio
import json
import os
import threading
import time
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn")

from alquerque_env.web import request_guard, server
from alquerque_env.web.bot_pool import BotPool
from alquerque_env.web.request_guard import MAX_BYTES, RequestGuard
from tests.browser import served_in_thread
from tools.faults.hostile_clients import REQUEST, SECONDS, START, connected, idle


@pytest.mark.parametrize("begun", [b"", b"GET / HTT", REQUEST, REQUEST + b"{"], ids=["idle", "line", "header", "body"])
def test_a_client_that_is_idle_or_slow_is_disconnected(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly it goes on, and whatever it has sent."""
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    with served_in_thread() as address, connected(address) as client:
        client.sendall(begun)
        client.settimeout(0.1)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if begun:
                    client.sendall(b" ")
                assert client.recv(100) == b""
                return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return
    raise AssertionError("the connection is still open")


@pytest.mark.slow
def test_a_client_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    gone = pytest.raises((BrokenPipeError, ConnectionResetError))
    with served_in_thread() as address, connected(address, room=4096) as client, gone:
        while True:
            client.sendall(b"GET /static/board.js HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.mark.slow
def test_a_request_in_work_may_take_longer_than_clients_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    with served_in_thread(seconds=2.0) as address:
        place = urlsplit(address)
        body = json.dumps({"match": START, "seconds": 1.5})
        with closing(HTTPConnection(place.hostname, place.port, timeout=SECONDS)) as connection:
            connection.request("POST", "/api/analysis", body, {"Content-Type": "application/json"})
            assert connection.getresponse().status == 200


@pytest.mark.parametrize(
    ("path", "body", "asked"),
    [
        ("analysis", {"match": START, "seconds": 60}, (BotPool, "evaluate")),
        ("report", {"match": {**START, "steps": ["c2-c3"]}}, (BotPool, "evaluate")),
        ("turn", {"match": START, "bot": "alphabeta:3"}, (BotPool, "choose_turn")),
    ],
)
def test_the_server_stops_at_once_while_a_page_waits(path, body, asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if what it waits for does not listen."""
    begun, end = threading.Event(), threading.Event()

    def never(*_: object) -> None:
        begun.set()
        end.wait(SECONDS)

    monkeypatch.setattr(*asked, never)
    answers: list[int] = []

    def ask(address: str) -> None:
        place = urlsplit(address)
        with closing(HTTPConnection(place.hostname, place.port, timeout=SECONDS)) as connection:
            connection.request("POST", f"/api/{path}", json.dumps(body), {"Content-Type": "application/json"})
            answers.append(connection.getresponse().status)

    with served_in_thread() as address:
        page = threading.Thread(target=ask, args=[address])
        page.start()
        assert begun.wait(SECONDS)
        before = time.monotonic()
    assert time.monotonic() - before < SECONDS / 2
    page.join()
    end.set()
    assert answers == [503]


def test_the_longest_waiting_connection_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_WAITING", 5)
    with served_in_thread() as address, idle(address, 5) as others, connected(address):
        assert others[0].recv(1) == b""
        others[-1].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert others[-1].recv(12) == b"HTTP/1.1 200"


def test_requests_over_the_limit_are_refused_and_slow_bodies_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_guard, "MOST_AT_WORK", 2)
    said: dict[int, list[dict]] = {}

    async def run() -> None:
        finish, arrive = asyncio.Event(), asyncio.Event()

        async def app(_scope: dict, receive: object, send: object) -> None:
            await finish.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        guard = RequestGuard(app)

        async def ask(number: int, *, slowly: bool = False) -> None:
            async def receive() -> dict:
                if slowly:
                    await arrive.wait()
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: dict) -> None:
                said.setdefault(number, []).append(message)

            scope = {"type": "http", "method": "GET", "headers": [(b"host", b"localhost")]}
            await guard(scope, receive, send)

        slow = [asyncio.create_task(ask(number, slowly=True)) for number in range(10, 20)]
        working = [asyncio.create_task(ask(number)) for number in (0, 1)]
        await asyncio.sleep(0)
        await ask(2)
        finish.set()
        await asyncio.gather(*working)
        await ask(3)
        arrive.set()
        await asyncio.gather(*slow)

    asyncio.run(run())
    assert [said[number][0]["status"] for number in (0, 1, 2, 3)] == [200, 200, 503, 200]


@pytest.mark.parametrize("length", [b"Content-Length: %d" % (MAX_BYTES + 1), b"Transfer-Encoding: chunked"])
def test_a_body_over_the_limit_is_refused_with_413(length: bytes) -> None:
    head = b"POST /api/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + length + b"\r\n\r\n"
    part = b" " * 10_000
    chunk = b"%x\r\n%b\r\n" % (len(part), part) if b"chunked" in length else part
    with served_in_thread() as address, connected(address) as client:
        try:
            client.sendall(head + chunk * (MAX_BYTES // len(part) + 2))
        except (BrokenPipeError, ConnectionResetError):
            assert os.name == "posix"
        assert client.recv(12) == b"HTTP/1.1 413"
