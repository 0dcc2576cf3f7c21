"""The HTTP server of the page: closes the connections of idle and slow clients, and serves one app until it is stopped.

uvicorn limits the connections that wait for the next request. It does not limit those that wait for the first one, send
a request slowly, or do not read the answer.
"""

import asyncio
from collections.abc import Callable

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0  # seconds for a client to send a whole request, to begin the next one, or to read a part of an answer

MOST_WAITING = 512  # connections that wait for a request; beyond that the one that has waited longest is closed

_UNFINISHED = (h11.IDLE, h11.SEND_BODY)


class PatientProtocol(H11Protocol):
    """HTTP/1.1 of one connection, which is closed when its client takes longer than `PATIENCE`."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._watch()
        waiting = [each for each in self.connections if isinstance(each, PatientProtocol) and each._timer is not None]
        if len(waiting) > MOST_WAITING:
            min(waiting, key=PatientProtocol._waits_until)._give_up()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Ends waiting when a request is complete. A part of one gives no more time."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Begins to wait for a client that does not read."""
        super().pause_writing()
        self._start_waiting()

    def resume_writing(self) -> None:
        """Ends waiting for a client that reads again."""
        super().resume_writing()
        self._stop_waiting()
        self._watch()

    def _watch(self) -> None:
        if self.transport.is_closing():
            return
        if self.conn.their_state in _UNFINISHED:
            self._start_waiting()
        elif self.flow is None or not self.flow.write_paused:
            self._stop_waiting()

    def _start_waiting(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(PATIENCE, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _waits_until(self) -> float:
        return 0.0 if self._timer is None else self._timer.when()

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()  # closing would wait until the client has read everything


def make_server(make_app: Callable[..., ASGIApp]) -> uvicorn.Server:
    """Makes the server of an app, made from `is_stopping`. It runs until a signal or its `should_exit` ends it."""
    settings = uvicorn.Config(
        make_app(is_stopping=lambda: server.should_exit),
        http=PatientProtocol,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=round(PATIENCE),
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=32 * 1024,
        ws="none",
    )
    server: uvicorn.Server = uvicorn.Server(settings)
    return server
