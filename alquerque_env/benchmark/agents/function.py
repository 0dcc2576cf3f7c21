"""Agents that are functions from an observation and an action mask to an action, each in a process of its own.

The process keeps its crashes and endless loops out of the benchmark.
"""

import multiprocessing as mp
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import numpy as np

from ...errors import BenchmarkError
from ...game.array_check import as_integer
from ...match.match import Match
from ..protocol import Limits
from .ask import CRASH, ILLEGAL, OVER_TIME, AgentError, Answer

LONGEST_ANSWER = 80  # characters of an answer that an error repeats

# What the process sends; beside them ILLEGAL and CRASH.
READY, FAILED, ANSWER = "ready", "failed", "answer"

GRACE = 0.5  # seconds beyond the limit that the way to the process and back may take


class FunctionProcess:
    """A function `name(observation, action_mask) -> action` in its own process.

    It is asked in positions with several legal actions and receives what a PettingZoo environment shows: int8 `[C, P]`
    and int8 `[A]`, in the frame of the player to move. A process that ends or takes too long is started again. The
    current folder is searched as well; `BenchmarkError` if the function cannot be loaded.
    """

    def __init__(self, spec: str, limits: Limits) -> None:
        self._spec, self._limits = spec, limits
        self._context = mp.get_context("spawn")
        self._process: Any = None
        self._pipe: Any = None
        self._is_new = True
        try:
            self._start()
        except AgentError as fault:
            raise BenchmarkError(f"agent {spec!r} cannot be loaded: {fault}") from None

    def close(self) -> None:
        """Ends the process. The next question starts it again."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None

    def ask(self, match: Match) -> Answer:
        """Chooses a step in a match with several legal steps."""
        if self._process is None:
            self._start()
        observation, mask = match.observation(), match.action_mask()
        if self._is_new:
            self._is_new = False
            try:
                self._send(observation, mask, self._limits.warm_up)
            except AgentError:
                if self._process is None:
                    raise
        action, seconds = self._send(observation, mask, self._limits.decision)
        for step in match.legal_steps:
            if step.action == action:
                return Answer(step, seconds)
        raise AgentError(ILLEGAL, f"answered {action}, which is not legal")

    def ask_many(self, _matches: Sequence[Match]) -> None:
        """None: the function takes one match at a time."""

    def _send(self, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[Any, float]:
        try:
            self._pipe.send((observation, mask))
        except OSError:
            self._end()
        kind, answer, taken = self._receive(seconds)
        if kind != ANSWER:
            raise AgentError(kind, answer)
        return answer, taken

    def _start(self) -> None:
        self._pipe, there = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(there, self._spec), daemon=True)
        self._process.start()
        self._is_new = True
        there.close()
        kind, answer, _ = self._receive(self._limits.warm_up)
        if kind == FAILED:
            self.close()
            raise AgentError(CRASH, answer, has_ended=True)

    def _receive(self, seconds: float) -> tuple[str, Any, float]:
        try:
            if self._pipe.poll(seconds + GRACE):
                return self._pipe.recv()
        except (EOFError, OSError):
            self._end()
        self.close()
        raise AgentError(OVER_TIME, f"did not answer within {seconds:g} s")

    def _end(self) -> NoReturn:
        self.close()
        raise AgentError(CRASH, "its process has ended", has_ended=True)


def serve(connection: Connection, spec: str) -> None:
    """Loads a function and answers questions until the connection is closed.

    Args:
      connection: Receives `(observation, action_mask)`, sends `(kind, answer or error, seconds)`.
      spec: `module:name` of the function.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # keeps what the function prints out of the results
    try:
        agent = _load(spec)
    except (Exception, SystemExit) as error:
        connection.send((FAILED, _describe(error), 0.0))
        return
    connection.send((READY, None, 0.0))
    try:
        while True:
            observation, mask = connection.recv()
            connection.send(_answer(agent, observation, mask))
    except (EOFError, OSError):
        return


def _load(spec: str) -> Callable[[Any, Any], Any]:
    module, _, name = spec.partition(":")
    sys.path.insert(0, os.getcwd())
    found = getattr(import_module(module), name)
    if not callable(found):
        raise TypeError(f"{name} is a {type(found).__name__}, which cannot be called")
    return found


def _answer(agent: Any, observation: Any, mask: Any) -> tuple[str, Any, float]:
    begun = time.perf_counter()
    try:
        answer = agent(observation, mask)
    except (Exception, SystemExit) as error:
        return CRASH, f"raised {_describe(error)}", time.perf_counter() - begun
    seconds = time.perf_counter() - begun
    try:
        return ANSWER, as_integer(answer), seconds
    except TypeError:
        return ILLEGAL, f"answered {_shorten(answer)}, expected the number of an action", seconds


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _shorten(answer: Any) -> str:
    try:
        return repr(answer)[:LONGEST_ANSWER]
    except Exception:
        return f"a {type(answer).__name__}"
