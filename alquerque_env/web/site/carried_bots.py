"""The bots of the static page: those that need no network and no proof."""

from collections.abc import Callable, Mapping
from typing import Any

from ...bots.alphabeta import AlphaBetaBot
from ...bots.bot import GameBot
from ...bots.mcts import MctsBot
from ...bots.perfect import DEPTH, PerfectBot
from ...bots.simple import RandomBot
from ...errors import UnknownNameError
from .carried_tables import carried_table, is_missing

SECONDS = 2.0
"""The time of a bot for a step."""

PERFECT = "perfect"

MISSING = "the table could not be fetched"
"""What a turn and an analysis say that should rest on a table."""


class CarriedPerfectBot(PerfectBot):
    """The bot `perfect` with the table of the page."""

    def __init__(self, name: str, game: Any) -> None:
        GameBot.__init__(self, name, game, None)
        self._search = AlphaBetaBot(f"alphabeta:{DEPTH}", game, DEPTH, None, SECONDS)
        self.table, self.proof, self._damage = None, None, ""

    def _choose_known(self, match: Any) -> Any:
        """As for `perfect`, with a table that may have come since the last step."""
        self.table = carried_table(match.game)
        self._damage = MISSING if is_missing(match.game) else ""
        return PerfectBot._choose_known(self, match)


_KINDS: Mapping[str, Callable[[str, Any, int], GameBot]] = {
    "random": lambda spec, game, _: RandomBot(spec, game, None),
    "mcts": lambda spec, game, number: MctsBot(spec, game, number, None, SECONDS),
    "alphabeta": lambda spec, game, number: AlphaBetaBot(spec, game, number, None, SECONDS),
    PERFECT: lambda spec, game, _: CarriedPerfectBot(spec, game),
}


def make_bot(spec: str, game: Any) -> GameBot:
    """Makes a bot for a game; raises `UnknownNameError` if this page does not have it."""
    kind, _, number = spec.partition(":")
    if kind not in _KINDS:
        raise UnknownNameError("bot", spec, _KINDS)
    return _KINDS[kind](spec, game, int(number or 0))


def is_carried(spec: str) -> bool:
    """Whether this page has a bot with this spec."""
    return spec.partition(":")[0] in _KINDS
