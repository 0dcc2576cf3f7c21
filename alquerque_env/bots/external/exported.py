"""Exported players as bots. Each turn runs the player's file in a new process."""

import subprocess
import sys
from pathlib import Path

from ...errors import AlquerqueError, BotError, IllegalTurnError, LateBotError, one_line
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from ..bot import GameBot
from ..turns import actions_since

TIMEOUT = 600.0
"""Seconds for a turn, by default."""


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
        command = [*self._command, "--position", position, *self._options]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired:
            what = f"{self.name} has not answered within {self._timeout:g} seconds in {position!r}"
            raise LateBotError(what) from None
        if answer.returncode:
            last_line = one_line((answer.stderr.strip() or "no message").splitlines()[-1])
            raise BotError(f"{self.name} failed with status {answer.returncode} in {position!r}: {last_line}")
        return one_line(answer.stdout)

    def _read_turn(self, match: Match, text: str) -> tuple[int, ...]:
        ahead = match.copy()
        try:
            ahead.push_turn(text)
        except AlquerqueError as error:
            raise IllegalTurnError(f"{self.name} answered {text!r}: {error}") from None
        return actions_since(match, ahead)
