"""The bots that the page may ask: loaded once, asked by one match at a time, and for so long and no longer."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from ..bots import load_bot
from ..bots.analysis import Limits, Thought
from ..bots.levels import Level, levels
from ..errors import AlquerqueError, BotError, UnknownNameError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..match.status_text import exact_sentence
from ..solve.tables import StepValue, present_table

MOST_BOTS = 32
HINT = "alphabeta:99"
"""Who evaluates positions: as deep as the time allows."""


class FaultError(BotError):
    """A bot has failed where it had to choose a step."""


class Thinkers:
    """Bots by game and spec.

    Args:
      others: Specs of bots that the page may ask beside the levels, each with the ids of the games that it plays.
      seconds: That a bot may take for a step, and for an evaluation.
    """

    def __init__(self, others: Mapping[str, Sequence[str]], seconds: float) -> None:
        self.seconds = seconds
        self._others = dict(others)
        self._bots: OrderedDict[tuple[str, str], tuple[Any, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def levels(self, game: Game) -> tuple[Level, ...]:
        """Who may be asked to play a game."""
        others = [spec for spec, known in self._others.items() if game.name in known]
        return (*levels(game), *(Level(spec, spec, "Named when the server was started.") for spec in others))

    def play(self, match: Match, spec: str, stop: threading.Event) -> list[Step]:
        """A whole turn, or the rest of one in the middle of a chain; the match is left as it was.

        Raises:
          BotError: If the match is over.
          FaultError: If the bot fails.
          UnknownNameError: If the bot is none of the levels.
        """
        if match.is_over:
            raise BotError(f"{spec} cannot play: the match is over")
        known = [level.spec for level in self.levels(match.game)]
        if spec not in known:
            raise UnknownNameError("bot", spec, known)
        ahead, played = match.copy(), len(match.steps)
        try:
            bot, lock = self._find(match.game, spec)
            while not ahead.is_over and ahead.player == match.player and not stop.is_set():
                with lock:
                    ahead.push(bot.choose(ahead))
        except AlquerqueError as error:
            self._forget(match.game, spec)
            raise FaultError(str(error)) from None
        return list(ahead.steps[played:])

    def think(self, match: Match, stop: threading.Event, seconds: float) -> Thought:
        """What is to be said of a position: its value and that of every step.

        Raises:
          BotError: If the match is over.
        """
        bot, lock = self._find(match.game, HINT)
        with lock:
            limits = Limits(seconds=min(seconds, self.seconds), stop=stop)
            return bot.think(match, limits, every=True)

    @staticmethod
    def know(match: Match) -> tuple[str, tuple[StepValue, ...]]:
        """What the endgame table of the game says of a position, as a sentence, and of its steps; nothing if none."""
        table = present_table(match.game)
        if table is None:
            return "", ()
        known = match.copy()
        known.table = table
        return exact_sentence(known), table.steps(match)

    def _forget(self, game: Game, spec: str) -> None:
        """A bot that has failed is loaded anew where it is asked again."""
        with self._lock:
            self._bots.pop((repr(game), spec), None)

    def _find(self, game: Game, spec: str) -> tuple[Any, threading.Lock]:
        """A bot and the lock under which it is asked."""
        key = (repr(game), spec)
        with self._lock:
            if key not in self._bots:
                self._bots[key] = (load_bot(spec, game, time_limit=self.seconds, tables=False), threading.Lock())
                while len(self._bots) > MOST_BOTS:
                    self._bots.popitem(last=False)
            self._bots.move_to_end(key)
            return self._bots[key]
