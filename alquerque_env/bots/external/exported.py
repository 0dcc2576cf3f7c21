"""Exported players as bots. Each turn runs the player's file in a new process."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import AlquerqueError, BotError, IllegalTurnError, LateBotError, made_for_other_rules, shorten
from ...files.regular import read_regular
from ...game.game import Game
from ...game.options import spell
from ...game.step import Step
from ...match.match import Match
from ..analysis import actions_since
from ..bot import GameBot
from ..network.model_card import CANONICAL, NO_CLOCK
from .process import Process, ProcessError

TIMEOUT = 600.0  # seconds for a turn, by default

LONGEST_QUOTE = 300  # characters of an answer that a message quotes

_BLIND = re.compile(rf"^Network: .* {NO_CLOCK}$", re.MULTILINE)
_CANONICAL = re.compile(rf"^Network: .* {CANONICAL}", re.MULTILINE)
_GAME = re.compile(r"^Game: ([\w-]+), version \d+(?:, rules ([0-9a-f]+))?\nOptions: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ExportedGame:
    """What the first lines of an exported player say of its game; no hash where the file has none.

    They also say whether the player sees the clock, and whether it decides in canonical images.
    """

    name: str
    options: Mapping[str, str]
    table_hash: str
    sees_clock: bool = True
    canonical: bool = False


def read_exported_game(file: Path) -> ExportedGame | None:
    """The game of an exported player; None if the file does not say. Raises `BotError` if it cannot be read."""
    try:
        text = read_regular(file).decode(errors="replace")
    except OSError as error:
        raise BotError(f"{str(file)!r} cannot be read: {error.strerror or error}") from None
    if (found := _GAME.search(text)) is None:
        return None
    options = dict(text.split("=", 1) for text in found[3].split(", ") if "=" in text)
    return ExportedGame(
        found[1],
        options,
        found[2] or "",
        sees_clock=_BLIND.search(text) is None,
        canonical=_CANONICAL.search(text) is not None,
    )


class ExportedBot(GameBot):
    """Asks an exported player, a file of the same rules, for whole turns, each within `timeout` seconds."""

    def __init__(
        self, name: str, game: Game, file: Path, simulations: int | None, timeout: float | None = None
    ) -> None:
        super().__init__(name, game, None)
        known = _check_game(file, game)
        self.sees_clock = known is None or known.sees_clock
        self.canonical = known is not None and known.canonical
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
        """The actions of a turn that the player has printed."""
        ahead = match.copy()
        try:
            ahead.push_turn(text)
        except AlquerqueError as error:
            raise IllegalTurnError(f"{self.name} answered {shorten(text, LONGEST_QUOTE)!r}: {error}") from None
        return actions_since(match, ahead)


def _check_game(file: Path, game: Game) -> ExportedGame | None:
    """Checks that an exported player plays this game with these options and rules, as far as its file says.

    Returns what it says.
    """
    known, what = read_exported_game(file), f"exported player {str(file)!r}"
    if known is None:
        return None
    if known.name != game.name:
        raise BotError(f"{what} plays {known.name!r}, not {game.name!r}")
    for option, value in game.options.items():
        if known.options.get(option, spell(value)) != spell(value):
            raise BotError(f"{what} plays with {option}={known.options[option]}, this game has {spell(value)}")
    if known.table_hash not in ("", game.table_hash):
        remedy = "export a player that was trained for these rules"
        raise BotError(made_for_other_rules(what, known.table_hash, game.table_hash, remedy))
    return known
