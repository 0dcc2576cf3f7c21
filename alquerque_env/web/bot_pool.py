"""The bots that the page can ask. Each is loaded once and used by one request at a time."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from ..bots import load_bot
from ..bots.analysis import Analysis, Limits
from ..bots.bot import GameBot
from ..bots.levels import Level, levels, spec_for_now
from ..errors import AlquerqueError, BotError, UnknownNameError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match

MAX_BOTS = 32
EVALUATOR = "alphabeta:99"  # the bot for hints and analysis; the time limit ends its search


class BotFailedError(BotError):
    """A bot failed to choose a step."""


class BotPool:
    """Loaded bots by game and spec.

    Besides the levels the page offers specs, each with the `Game.argument` of every game that it plays. The time limit
    of a bot for a step, and of an evaluation, is in seconds.
    """

    def __init__(self, offered: Mapping[str, Sequence[str]], seconds: float) -> None:
        self.seconds = seconds
        self._offered = dict(offered)
        self._bots: OrderedDict[tuple[Game, str], tuple[GameBot, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def levels(self, game: Game) -> tuple[Level, ...]:
        """The bots that play a game."""
        offered = [spec for spec, playable in self._offered.items() if game.argument in playable]
        return (*levels(game), *(Level(spec, spec, "Named when the server was started.") for spec in offered))

    def choose_turn(self, match: Match, spec: str, stop: threading.Event) -> tuple[list[Step], str]:
        """Chooses the steps of a turn, or the rest of one in the middle of a chain. The match stays unchanged.

        Returns the steps, and the bot's note on the first step that has one. Raises `UnknownNameError` for a bot that
        is not offered, `BotFailedError` if it fails, `BotError` if the match is over.
        """
        if match.is_over:
            raise BotError(f"{spec} cannot play: the match is over")
        known = [level.spec for level in self.levels(match.game)]
        if spec not in known:
            raise UnknownNameError("bot", spec, known)
        ahead, note = match.copy(), ""
        try:
            bot, lock = self._load(match.game, spec)
            while not ahead.is_over and ahead.player == match.player and not stop.is_set():
                with lock:
                    ahead.push(bot.choose(ahead))
                    note = note or bot.note
        except AlquerqueError as error:
            with self._lock:  # the next request loads the bot again
                self._bots.pop((match.game, spec_for_now(spec)), None)
            raise BotFailedError(str(error)) from None
        return list(ahead.steps[len(match.steps) :]), note

    def evaluate(self, match: Match, stop: threading.Event, seconds: float) -> Analysis:
        """Evaluates a position and all its steps.

        Raises:
          BotError: If the match is over.
        """
        bot, lock = self._load(match.game, EVALUATOR)
        with lock:
            return bot.analyse(match, Limits(seconds=min(seconds, self.seconds), stop=stop), all_steps=True)

    def _load(self, game: Game, spec: str) -> tuple[GameBot, threading.Lock]:
        """A bot and the lock to hold while it is used."""
        spec = spec_for_now(spec)
        key = (game, spec)
        with self._lock:
            if key not in self._bots:
                self._bots[key] = (load_bot(spec, game, time_limit=self.seconds, tables=False), threading.Lock())
                while len(self._bots) > MAX_BOTS:
                    self._bots.popitem(last=False)
            self._bots.move_to_end(key)
            return self._bots[key]
