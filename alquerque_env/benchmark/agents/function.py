"""Agents that are functions from an observation and an action mask to an action."""

import multiprocessing as mp
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import BenchmarkError
from ...match.match import Match
from ..protocol import Limits
from . import worker as w
from .ask import CRASH, ILLEGAL, OVER_TIME, AgentError, Answer

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

    def ask(self, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[Any, float]:
        """The action and its seconds, or an `AgentError`."""
        if self._process is None:
            self._start()
        if self._is_new:
            self._is_new = False
            try:
                self._send(observation, mask, self._limits.warm_up)
            except AgentError:
                if self._process is None:
                    raise
        return self._send(observation, mask, seconds)

    def _send(self, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[Any, float]:
        try:
            self._pipe.send((observation, mask))
        except OSError:
            self._end()
        kind, answer, taken = self._receive(seconds)
        if kind != w.ANSWER:
            raise AgentError(ILLEGAL if kind == w.ILLEGAL else CRASH, answer)
        return answer, taken

    def _start(self) -> None:
        self._pipe, there = self._context.Pipe()
        self._process = self._context.Process(target=w.serve, args=(there, self._spec), daemon=True)
        self._process.start()
        self._is_new = True
        there.close()
        kind, answer, _ = self._receive(self._limits.warm_up)
        if kind == w.FAILED:
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


class FunctionPlayer:
    """A function as a player, with a limit for each decision in seconds."""

    def __init__(self, function: FunctionProcess, seconds: float) -> None:
        self._function, self._seconds = function, seconds

    def ask(self, match: Match) -> Answer:
        """Chooses a step in a match with several legal steps."""
        action, seconds = self._function.ask(match.observation(), match.action_mask(), self._seconds)
        for step in match.legal_steps:
            if step.action == action:
                return Answer(step, seconds)
        raise AgentError(ILLEGAL, f"answered {action}, which is not legal")

    def ask_many(self, _matches: Sequence[Match]) -> None:
        """None: the function takes one match at a time."""
