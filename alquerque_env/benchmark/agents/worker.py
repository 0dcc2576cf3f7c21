"""The process of a function agent, which keeps its crashes and endless loops out of the benchmark."""

import os
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from ...game.array_check import as_integer

LONGEST_ANSWER = 80  # characters of an answer that an error repeats

READY, FAILED, ANSWER, ILLEGAL, CRASH = "ready", "failed", "answer", "illegal", "crash"


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
