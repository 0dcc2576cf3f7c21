"""Agents that are functions of anybody's, from an observation and a mask to an action."""

import multiprocessing as mp
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...batch.single import PlayerView
from ...errors import BenchmarkError
from ...game.game import Game
from ...match.match import Match
from ..protocol import Limits
from . import worker as w
from .ask import CRASH, ILLEGAL, OVER_TIME, AgentError, Answer

_SPEC = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")

GRACE = 0.5
"""Seconds more than it may take after which it is taken to be late, for the way to its process and back."""


def is_function_spec(spec: str) -> bool:
    """Whether a text has the form `module:name`."""
    return _SPEC.fullmatch(spec) is not None


class FunctionProcess:
    """A function `name(observation, action_mask) -> action` in a process of its own.

    It is asked wherever there is a choice. What an environment of PettingZoo would show it, it is shown: int8 `[C, P]`
    and int8 `[A]`, in the frame of the player to move. If it has an attribute `value` that can be called in the same
    way, that tells the result to expect. A process that dies or takes too long is ended, and started again.

    Args:
      spec: `module:name`; the current folder is looked into as well.
      limits: For how long it is waited for.

    Raises:
      BenchmarkError: If it cannot be loaded.
    """

    def __init__(self, spec: str, limits: Limits) -> None:
        self._spec, self._limits = spec, limits
        self._context = mp.get_context("spawn")
        self._process: Any = None
        self._pipe: Any = None
        self._is_fresh = True
        try:
            self.has_value = bool(self._start())
        except AgentError as fault:
            raise BenchmarkError(f"agent {spec!r} cannot be loaded: {fault}") from None

    def choose(self, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[int, float]:
        """An action, and the seconds that it took.

        Raises:
          AgentError: If it did not answer with a number in the seconds that it has.
        """
        return self._ask(w.CHOOSE, observation, mask, seconds)

    def value(self, observation: np.ndarray, mask: np.ndarray, seconds: float) -> float:
        """The result that it expects, in [-1, 1] for the player to move.

        Raises:
          AgentError: If it did not answer in the seconds that it has.
        """
        return float(self._ask(w.VALUE, observation, mask, seconds)[0])

    def close(self) -> None:
        """Ends the process; it is started again when it is asked again."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None

    def _ask(self, what: str, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[Any, float]:
        if self._process is None:
            self._start()
        if self._is_fresh:
            self._is_fresh = False
            self._warm_up(what, observation, mask)
        return self._send(what, observation, mask, seconds)

    def _warm_up(self, what: str, observation: np.ndarray, mask: np.ndarray) -> None:
        try:
            self._send(what, observation, mask, self._limits.warm_up)
        except AgentError as fault:
            if self._process is None:
                raise fault from None

    def _send(self, what: str, observation: np.ndarray, mask: np.ndarray, seconds: float) -> tuple[Any, float]:
        try:
            self._pipe.send((what, observation, mask))
        except OSError:
            self.close()
            raise AgentError(CRASH, "its process has ended", has_ended=True) from None
        kind, answer, taken = self._receive(seconds)
        if kind != w.ANSWER:
            raise AgentError(ILLEGAL if kind == w.ILLEGAL else CRASH, answer)
        return answer, taken

    def _start(self) -> Any:
        """Starts the process; returns what it says of itself."""
        self._pipe, there = self._context.Pipe()
        self._process = self._context.Process(target=w.serve, args=(there, self._spec), daemon=True)
        self._process.start()
        self._is_fresh = True
        there.close()
        kind, answer, _ = self._receive(self._limits.warm_up)
        if kind == w.FAILED:
            self.close()
            raise AgentError(CRASH, answer, has_ended=True)
        return answer

    def _receive(self, seconds: float) -> tuple[str, Any, float]:
        try:
            if self._pipe.poll(seconds + GRACE):
                return self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise AgentError(CRASH, "its process has ended", has_ended=True) from None
        self.close()
        raise AgentError(OVER_TIME, f"did not answer within {seconds:g} s")


class FunctionThinker:
    """A function as a player of one game.

    Args:
      function: Is asked.
      game: What it plays.
      seconds: For a decision.
    """

    def __init__(self, function: FunctionProcess, game: Game, seconds: float) -> None:
        self._function, self._game, self._seconds = function, game, seconds
        self._view = PlayerView(game)

    def ask(self, match: Match) -> Answer:
        """A step for a match with a choice.

        Raises:
          AgentError: If there is none.
        """
        action, seconds = self._function.choose(*self._show(match), self._seconds)
        for step in match.legal_steps:
            if step.action == action:
                return Answer(step, seconds)
        raise AgentError(ILLEGAL, f"answered {action}, which is not legal")

    def ask_many(self, _matches: Sequence[Match]) -> None:
        """It is asked for one at a time."""

    def value(self, match: Match) -> float | None:
        """The result that it expects, in [-1, 1] for the player to move; None where it does not say.

        Raises:
          AgentError: If it does not answer.
        """
        return self._function.value(*self._show(match), self._seconds) if self._function.has_value else None

    def _show(self, match: Match) -> tuple[np.ndarray, np.ndarray]:
        """int8 `[C, P]` and `[A]`, what an environment shows of a match."""
        earlier = match.occurrences() - 1 if match.chain is None else 0
        mask = np.zeros(self._game.num_actions, np.int8)
        mask[[step.action for step in match.legal_steps]] = 1
        return self._view.observe(match.state, match.player, earlier), mask
