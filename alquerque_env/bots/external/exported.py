"""Exported players as bots. Each turn runs the player's file in a new process."""

import sys
from pathlib import Path

from ...errors import AlquerqueError, IllegalTurnError, LateBotError, shorten
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from ..bot import GameBot
from ..turns import actions_since
from .process import Process, ProcessError

TIMEOUT = 600.0
"""Seconds for a turn, by default."""

LONGEST_TURN = 300
"""Characters of an answer; a turn has fewer."""


class ExportedBot(GameBot):
    """Asks an exported player, a file, for whole turns; each takes at most `timeout` seconds, by default `TIMEOUT`."""

    def __init__(
        self, name: str, game: Game, file: Path, simulations: int | None, timeout: float | None = None
    ) -> None:
        super().__init__(name, game, None)
        self._timeout = timeout or TIMEOUT
        self._command = [sys.executable, "-I", "-S", str(file)]
        self._options = [] if simulations is None else ["--simulations", str(simulations)]

    def _decide(self, match: Match) -> Step:
        return self._follow_plan(match, lambda: self._read_turn(match, self._ask(match.position)))

    def _ask(self, position: str) -> str:
        """Returns the turn that the player prints for a position."""
        process = None
        try:
            process = Process([*self._command, "--position", position, *self._options])
            answer = process.read(self._timeout)
        except ProcessError as error:
            told = process.last_error_output() if process else ""
            what = f"{self.name} {error} in {position!r}" + (f"; last on its error output: {told}" if told else "")
            raise error.fault(what) from None
        finally:
            if process:
                process.kill()
        if answer is None:
            what = f"{self.name} has not answered within {self._timeout:g} seconds in {position!r}"
            raise LateBotError(what)
        return answer

    def _read_turn(self, match: Match, text: str) -> tuple[int, ...]:
        text = shorten(text, LONGEST_TURN)
        ahead = match.copy()
        try:
            ahead.push_turn(text)
        except AlquerqueError as error:
            raise IllegalTurnError(f"{self.name} answered {text!r}: {error}") from None
        return actions_since(match, ahead)
