"""A bot that runs as plain Python until the kernels of the bots have been compiled."""

from collections.abc import Callable, Iterable

from ..engine.compiled_parts import BOTS, is_compiled
from ..game.step import Step
from ..match.match import Match
from .analysis import NO_LIMITS, Analysis, Limits, Report
from .bot import GameBot


class WaitingBot(GameBot):
    """Plays like a bot as plain Python, and like the compiled one as soon as there is one: with the same choices.

    Args:
      plain: The bot as plain Python.
      compile_bot: Makes the compiled one.
    """

    def __init__(self, plain: GameBot, compile_bot: Callable[[], GameBot]) -> None:
        super().__init__(plain.name, plain.game, None)
        self.can_analyse = plain.can_analyse
        self._bot = plain
        self._compile: Callable[[], GameBot] | None = compile_bot

    def choose(self, match: Match) -> Step:
        """See `Bot.choose`."""
        return self._now().choose(match)

    def choose_many(self, matches: Iterable[Match]) -> list[Step]:
        """See `GameBot.choose_many`."""
        return self._now().choose_many(matches)

    def analyse(
        self, match: Match, limits: Limits = NO_LIMITS, *, all_steps: bool = False, report: Report | None = None
    ) -> Analysis:
        """See `GameBot.analyse`."""
        return self._now().analyse(match, limits, all_steps=all_steps, report=report)

    def _now(self) -> GameBot:
        if self._compile is not None and is_compiled(BOTS):
            compiled = self._compile()
            compiled.continue_from(self._bot)
            self._bot, self._compile = compiled, None
        return self._bot
