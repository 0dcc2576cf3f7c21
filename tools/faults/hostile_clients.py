"""Hostile clients of the page's server beside honest ones, which play matches to their ends as if they were alone."""

import json
import os
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

from alquerque_env import Match
from alquerque_env.match.records import format_record
from tools.faults.case import Case
from tools.faults.random_changes import mutate, mutate_bytes

SECONDS = 60
"""How long a client waits for what must happen."""

MOST_MEMORY = 2.0
"""Times what the server takes with honest clients only."""

START = {"game": "fetaix", "options": {}, "start": None, "steps": []}
HEAD = b"POST /api/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
REQUEST = HEAD + b"Content-Length: 90\r\n\r\n"

CHECKPOINTS = Path(__file__).resolve().parents[2] / "checkpoints"

JUDGED = {
    "number": 1,
    "player": 0,
    "text": "c2-c3",
    "start": 0,
    "end": 1,
    "value": 0.5,
    "best": 0.5,
    "played": 0.1,
    "better": ["d2-c3"],
    "is_exact": False,
    "is_best_exact": False,
    "is_complete": False,
    "depth": 4,
}
BODIES = {
    "/api/match": START,
    "/api/turn": {"match": START, "bot": "random"},
    "/api/open": {"folder": "fetaix/small", "simulations": 4},
    "/api/analysis": {"match": START, "evaluator": "search", "seconds": 0.05},
    "/api/rules": {"game": "alquerque_murray", "options": {}},
    "/api/card": {"game": "alquerque_murray", "options": {}},
    "/api/rule-pictures": {"game": "felli", "options": {}},
    "/api/board": {"game": "awithlaknannai_mosona", "options": {}, "turned": True},
    "/api/save": {"match": START, "south": "one", "north": "random", "headers": {"Event": "none"}},
    "/api/load": {"text": format_record(Match("fetaix"), south="one", north="random")},
    "/api/picture": {"match": START, "turned": True},
    "/api/variations": {"match": {**START, "steps": ["c2-c3"]}, "variations": [["d2-c3", "d4xd2"], ["a1-a2"]]},
    "/api/report": {"match": {**START, "steps": ["c2-c3"]}, "result": "1-0", "judged": [JUDGED]},
    "/api/lessons": {"game": "fetaix"},
    "/api/puzzles": {"game": "fetaix"},
    "/api/refute": {"match": {**START, "steps": ["c2-c3"]}, "since": 0},
    "/api/missed": {"match": {**START, "steps": ["c2-c3"]}, "players": [0]},
}


def connected(address: str, room: int | None = None) -> socket.socket:
    """A connection, with room for so many bytes that are not read yet."""
    place = urlsplit(address)
    client = socket.socket()
    client.settimeout(SECONDS)
    if room is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    client.connect((place.hostname, place.port))
    return client


@contextmanager
def idle(address: str, count: int) -> Iterator[list[socket.socket]]:
    """Connections that send nothing."""
    with ExitStack() as stack:
        yield [stack.enter_context(connected(address)) for _ in range(count)]


def ask(connection: HTTPConnection, path: str, body: str) -> tuple[int, bytes]:
    """The status and the content of an answer."""
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def play_match(connection: HTTPConnection) -> int:
    """Plays a match of two random bots by requests; returns the status of the first answer that is none, or 200."""
    steps: list[str] = []
    while True:
        status, content = ask(
            connection, "/api/turn", json.dumps({"match": {**START, "steps": steps}, "bot": "random"})
        )
        if status != 200:
            return status
        played = json.loads(content)["steps"]
        steps += [step["text"] for step in played]
        if played[-1]["after"]["outcome"] is not None:
            return 200


def play_matches(address: str, matches: int, clients: int) -> None:
    """Plays so many matches by clients at the same time; all must be answered."""

    def play(count: int) -> list[int]:
        place = urlsplit(address)
        with closing(HTTPConnection(place.hostname, place.port, timeout=SECONDS)) as connection:
            return [play_match(connection) for _ in range(count)]

    with ThreadPoolExecutor(clients) as pool:
        found = Counter(status for each in pool.map(play, [matches // clients] * clients) for status in each)
    assert found == {200: matches}, f"the answers of {matches} matches: {found}"


@dataclass(frozen=True)
class IdleClients:
    """Matches beside idle connections.

    Attributes:
      matches: How many are played by all clients together in a case.
      clients: How many play at the same time.
      idlers: Connections that send nothing meanwhile.
    """

    matches: int
    clients: int
    idlers: int

    def __call__(self, _chance: random.Random, _folder: Path) -> Iterator[Case]:
        """Yields rounds of matches. Each has new idle connections, since the server closes those of a while ago."""
        from tests.browser import served_by  # here since it needs the extra web

        with served_by() as (_, address):
            while True:
                with idle(address, self.idlers):
                    play_matches(address, self.matches, self.clients)
                yield Case({"matches": self.matches})


@dataclass(frozen=True)
class HostileClients:
    """Matches beside hostile clients.

    Attributes:
      matches: How many are played by all honest clients together in a case.
      clients: How many play at the same time.
      hostile: Clients that do harm meanwhile.
    """

    matches: int
    clients: int
    hostile: int

    def __call__(self, chance: random.Random, _folder: Path) -> Iterator[Case]:
        """Yields rounds of matches."""
        from tests.browser import served_by

        with served_by("--seconds", "1", "--checkpoints", str(CHECKPOINTS)) as (process, address):
            play_matches(address, self.clients, self.clients)
            for path, body in BODIES.items():
                with closing(HTTPConnection(urlsplit(address).netloc, timeout=SECONDS)) as connection:
                    assert ask(connection, path, json.dumps(body))[0] == 200, path
            taken = _most_memory(process)
            os.set_blocking(process.stdout.fileno(), False)
            while True:
                done: Counter[str] = Counter()
                enough = threading.Event()
                seeds = [chance.random() for _ in range(self.hostile)]
                with ThreadPoolExecutor(self.hostile) as pool:
                    rude = [pool.submit(_harm, address, random.Random(seed), enough, done) for seed in seeds]
                    try:
                        play_matches(address, self.matches, self.clients)
                    finally:
                        enough.set()
                    for each in rude:
                        each.result()
                said = _read_now(process)
                assert process.poll() is None, f"the server has ended: {said}"
                assert said == "", f"the server wrote: {said[-3000:]}"
                ratio = _most_memory(process) / taken if taken else 0.0
                assert ratio <= MOST_MEMORY, f"the server takes {ratio:.2f} times the memory"
                yield Case({"matches": self.matches, "attacks": done.total()}, memory=ratio)


def _read_now(process: Popen[str]) -> str:
    """What a process has written, without waiting."""
    with suppress(BlockingIOError):
        return os.read(process.stdout.fileno(), 1 << 20).decode(errors="replace")
    return ""


def _most_memory(process: Popen[str]) -> int:
    """The most memory that a process has taken, in kB; 0 where the system does not say."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        return 0
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def _harm(address: str, chance: random.Random, enough: threading.Event, done: Counter[str]) -> None:
    """Does harm until it is enough."""
    while not enough.is_set():
        attack = chance.choice(ATTACKS)
        with suppress(OSError, HTTPException):
            attack(address, chance)
        done[attack.__name__] += 1


def _sleep(address: str, chance: random.Random) -> None:
    with connected(address):
        time.sleep(chance.random())


def _many(address: str, chance: random.Random) -> None:
    with idle(address, chance.randrange(20)):
        time.sleep(chance.random() / 5)


def _drip(address: str, chance: random.Random) -> None:
    with connected(address) as client:
        for byte in _request(chance)[: chance.randrange(100)]:
            client.sendall(bytes([byte]))
            time.sleep(0.01)


def _never_read(address: str, chance: random.Random) -> None:
    with connected(address, room=4096) as client:
        client.settimeout(0.5)
        for _ in range(200):
            client.sendall(b"GET /static/board.js HTTP/1.1\r\nHost: localhost\r\n\r\n")


def _flood(address: str, chance: random.Random) -> None:
    with connected(address) as client:
        client.settimeout(5)
        client.sendall(_request(chance) * chance.randrange(50))
        client.recv(1000)


def _broken(address: str, chance: random.Random) -> None:
    with connected(address) as client:
        client.settimeout(5)
        client.sendall(chance.choice((mutate_bytes(_request(chance), chance), chance.randbytes(3000), *BROKEN)))
        while client.recv(10_000):
            pass


def _giant(address: str, chance: random.Random) -> None:
    head, part = chance.choice(GIANT)
    with connected(address) as client:
        client.settimeout(5)
        client.sendall(head)
        for _ in range(200):
            client.sendall(part)
        client.recv(1000)


def _wrong_json(address: str, chance: random.Random) -> None:
    """Its answer says what is wrong."""
    path = chance.choice(list(BODIES))
    text = json.dumps(mutate(BODIES[path], chance))
    if chance.random() < 0.2:
        text = chance.choice(
            (mutate_bytes(text.encode(), chance).decode(errors="replace"), "[" * 100_000, "9" * 100_000)
        )
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=SECONDS)) as connection:
        status, content = ask(connection, path, text.encode())
    assert status < 500, f"{path} answers {status} to {text[:2000]}"
    assert status == 200 or json.loads(content)["error"].isprintable(), content


def _leave(address: str, chance: random.Random) -> None:
    """In the middle of a request, or before the answer; by a reset of the connection or not."""
    request = _request(chance)
    with connected(address) as client:
        client.sendall(request[: chance.choice((len(request), chance.randrange(len(request))))])
        if chance.randrange(2):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _request(chance: random.Random) -> bytes:
    path = chance.choice(list(BODIES))
    body = json.dumps(BODIES[path]).encode()
    return HEAD.replace(b"/api/match", path.encode()) + b"Content-Length: %d\r\n\r\n" % len(body) + body


BROKEN = (
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET http://localhost/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /static/../app.py HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /static/%2e%2e/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere\r\n\r\n",
    b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    HEAD + b"Content-Length: -1\r\n\r\n",
    HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
    HEAD + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n",
)
GIANT = (
    (b"GET /", b"x" * 10_000),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x" * 10_000),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X: x\r\n" * 1000),
    (HEAD + b"Content-Length: 1000000000\r\n\r\n", b" " * 10_000),
    (HEAD + b"Content-Length: 500000\r\n\r\n", b" " * 10_000),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"2710\r\n" + b" " * 10_000 + b"\r\n"),
)
ATTACKS: tuple[Callable[[str, random.Random], None], ...] = (
    _sleep,
    _many,
    _drip,
    _never_read,
    _flood,
    _broken,
    _giant,
    _wrong_json,
    _wrong_json,
    _wrong_json,
    _leave,
)
