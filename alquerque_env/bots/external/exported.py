"""Bots that are exported players: files of plain Python, each asked in a process of its own."""

import subprocess
import sys
from pathlib import Path

from ...errors import AlquerqueError, BotError, IllegalTurnError, LateBotError
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from ..bot import GameBot, rest_of_turn, state_key, step_of
from ..turns import push_turn

PATIENCE = 600.0
"""Seconds that a player may take for a turn where nobody says."""


class ExportedBot(GameBot):
    """Asks an exported player for whole turns.

    Args:
      name: Its spec.
      game: The game that it plays.
      file: The player.
      simulations: How many it shall make for a turn, None for what it does unasked.
      patience: Seconds that it may take for a turn.
    """

    def __init__(self, name: str, game: Game, file: Path, simulations: int | None, patience: float = PATIENCE) -> None:
        super().__init__(name, game, None)
        self._patience = patience
        self._command = [sys.executable, "-I", "-S", str(file)]
        self._options = [] if simulations is None else ["--simulations", str(simulations)]
        self._plan: dict[tuple[int, ...], int] = {}

    def _decide(self, match: Match) -> Step:
        action = self._plan.get(state_key(match))
        if action is None:
            actions = self._turn(match, self._ask(match.position))
            action = actions[0]
            self._plan = rest_of_turn(match, actions)
        return step_of(match, action)

    def _ask(self, position: str) -> str:
        """What the player prints for a position."""
        command = [*self._command, "--position", position, *self._options]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=self._patience, check=False)
        except subprocess.TimeoutExpired:
            what = f"{self.name} has not answered within {self._patience:g} seconds in {position!r}"
            raise LateBotError(what) from None
        if answer.returncode:
            last_line = (answer.stderr.strip() or "no message").splitlines()[-1]
            raise BotError(f"{self.name} failed with status {answer.returncode} in {position!r}: {last_line}")
        return answer.stdout.strip()

    def _turn(self, match: Match, text: str) -> tuple[int, ...]:
        """The actions of a turn that the player has printed."""
        ahead = match.copy()
        try:
            push_turn(ahead, text)
        except AlquerqueError as error:
            raise IllegalTurnError(f"{self.name} answered {text!r}: {error}") from None
        return tuple(step.action for step in ahead.steps[len(match.steps) :])
