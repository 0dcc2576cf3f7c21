"""One search of an engine, in its own thread, so that the engine can handle commands meanwhile."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from ...bots.analysis import Analysis, Limits, format_line
from ...bots.bot import GameBot
from ...bots.external.ugi_protocol import NOTHING, Info
from ...match.match import Match
from ...search.scores import turns_to_end, value_to_score


class Search:
    """Starts a search, which prints `info` lines and then `bestmove`. No other thread may use the bot and the match.

    With `until_stopped`, `bestmove` follows only after `stop`, also where the bot has chosen before.

    The lock is held while `bestmove` is printed, so that after that line `is_running` is False.
    """

    def __init__(
        self,
        bot: GameBot,
        match: Match,
        limits: Limits,
        write: Callable[[str], None],
        report_error: Callable[[Exception], None],
        lock: AbstractContextManager[object],
        *,
        until_stopped: bool = False,
    ) -> None:
        self._bot = bot
        self._match = match
        self._stop = threading.Event()
        self._limits = replace(limits, stop=self._stop)
        self._write = write
        self._report_error = report_error
        self._lock = lock
        self._until_stopped = until_stopped
        self._begin = time.monotonic()
        self._is_running = True
        # A daemon thread: a bot that ignores `stop` must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether `bestmove` has not been printed yet."""
        with self._lock:
            return self._is_running

    def stop(self) -> None:
        """Asks the search to end."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Waits for the end of the search, at most this long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        turn = NOTHING
        try:
            turn = self._choose()
        except Exception as error:  # a user's own bot can fail in any way, and the engine must go on
            self._report_error(error)
        if self._until_stopped:
            self._stop.wait()
        with self._lock:
            self._is_running = False
            self._write(f"bestmove {turn}")

    def _choose(self) -> str:
        """Chooses a whole turn."""
        if self._bot.can_analyse:
            analysis = self._bot.analyse(self._match, self._limits, report=self._report)
            self._report(analysis)
            if self._bot.note:
                self._write(f"info string {self._bot.note}")
            return analysis.best.line[0]
        ahead = self._match.copy()
        ahead.push(self._bot.choose(ahead))
        while ahead.turn_goes_on:
            ahead.push(self._bot.choose(ahead))
        played = ahead.steps[len(self._match.steps) :]
        return format_line(self._match, [step.action for step in played])[0]

    def _report(self, analysis: Analysis) -> None:
        score = value_to_score(analysis.value) if analysis.score is None else analysis.score
        info = Info(
            depth=analysis.depth,
            score=score,
            mate=None if analysis.score is None else turns_to_end(score),
            nodes=analysis.nodes,
            milliseconds=round(1000 * (time.monotonic() - self._begin)),
            line=analysis.best.line,
        )
        self._write(str(info))
