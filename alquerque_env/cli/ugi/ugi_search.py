"""Thinking beside the talk: one search in a thread of its own."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from ...bots.alphabeta import turns_to_end, unsqueeze
from ...bots.analysis import Limits, Thought
from ...bots.bot import GameBot
from ...bots.external.ugi_protocol import NOTHING, Info
from ...bots.turns import tell_line
from ...match.match import Match

Say = Callable[[str], None]


class Search:
    """Chooses a turn and says it, unless it cannot.

    Args:
      bot: Who chooses; is not to be asked anything else meanwhile.
      match: Where; nobody else may touch it.
      limits: What it may spend.
      say: Writes a line.
      complain: Writes what went wrong.
      lock: Is held while the end of the search is told, so that nobody finds it running afterwards.
    """

    def __init__(
        self,
        bot: GameBot,
        match: Match,
        limits: Limits,
        say: Say,
        complain: Callable[[Exception], None],
        lock: AbstractContextManager[object],
    ) -> None:
        self._bot = bot
        self._match = match
        self._stop = threading.Event()
        self._limits = replace(limits, stop=self._stop)
        self._say = say
        self._complain = complain
        self._lock = lock
        self._begin = time.monotonic()
        self._is_running = True
        # A bot that does not listen to `stop` must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the turn is still to come."""
        with self._lock:
            return self._is_running

    def stop(self) -> None:
        """Lets it come to its end soon."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Waits for its end, but not for longer than this."""
        self._thread.join(seconds)

    def _run(self) -> None:
        turn = NOTHING
        try:
            turn = self._choose()
        # A bot of somebody's own can fail in any way, and the engine must go on talking.
        except Exception as error:
            self._complain(error)
        with self._lock:
            self._is_running = False
            self._say(f"bestmove {turn}")

    def _choose(self) -> str:
        """A whole turn."""
        if self._bot.can_think:
            thought = self._bot.think(self._match, self._limits, report=self._tell)
            self._tell(thought)
            return thought.best.line[0]
        ahead = self._match.copy()
        ahead.push(self._bot.choose(ahead))
        while ahead.chain is not None:
            ahead.push(self._bot.choose(ahead))
        played = ahead.steps[len(self._match.steps) :]
        return tell_line(self._match, [step.action for step in played])[0]

    def _tell(self, thought: Thought) -> None:
        score = unsqueeze(thought.value) if thought.score is None else thought.score
        info = Info(
            depth=thought.depth,
            score=score,
            mate=None if thought.score is None else turns_to_end(score),
            nodes=thought.nodes,
            milliseconds=round(1000 * (time.monotonic() - self._begin)),
            line=thought.best.line,
        )
        self._say(str(info))
