"""What the static page answers requests about matches from: games, tables, proofs and bots."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from ...bots.alphabeta import AlphaBetaBot
from ...bots.analysis import SEARCHER, Analysis, Limits, find_step
from ...bots.bot import GameBot
from ...bots.mcts import MctsBot
from ...bots.network.plain_inputs import plain_inputs
from ...bots.perfect import DEPTH, PerfectBot
from ...bots.shipped import FAMILY
from ...bots.simple import RandomBot
from ...engine.bundle.carried_game import Needed, load_game
from ...errors import UnknownNameError
from ...match.match import Match
from ...match.status_text import begin
from ...search.puct import Node, Position
from ..evaluation_view import SEARCH
from .carried_tables import carried_proof, carried_table, is_missing

SECONDS = 2.0
"""The time of a bot for a step."""

PERFECT = "perfect"

MISSING = "the table could not be fetched"
"""What a turn and an analysis say that should rest on a table."""


class CarriedPerfectBot(PerfectBot):
    """The bot `perfect` with the table and the proof of the page."""

    def __init__(self, name: str, game: Any) -> None:
        GameBot.__init__(self, name, game, None)
        self._search = AlphaBetaBot(f"alphabeta:{DEPTH}", game, DEPTH, None, SECONDS)
        self.table, self.proof, self._damage = None, None, ""

    def _choose_known(self, match: Any) -> Any:
        """As for `perfect`, with a table that may have come since the last step."""
        self.table, self.proof = carried_table(match.game), carried_proof(match.game)
        self._damage = MISSING if is_missing(match.game) else ""
        return PerfectBot._choose_known(self, match)


class CarriedNetworkBot(GameBot):
    """The bot of the network for all games, which `family_network.js` evaluates, with a search that has little time."""

    def __init__(self, name: str, game: Any, simulations: int) -> None:
        super().__init__(name, game, None)
        if not hasattr(game, "network"):
            raise Needed("network", game.name)
        self._facts, self._evaluate = game.network
        self._simulations = simulations

    def judge(self, position: Position) -> tuple[list[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        inputs = plain_inputs(self.game.table.words, self._facts, position)
        policy, value = json.loads(self._evaluate(json.dumps([*inputs, position.actions])))
        return policy, value

    def _decide(self, match: Any) -> Any:
        end = time.monotonic() + SECONDS
        position = Position.of(match, sees_clock=self._facts["sees_clock"])
        root = Node(position, self.judge, self._facts["exploration"])
        while sum(root.visits) < self._simulations and time.monotonic() < end:
            root.simulate(self.judge)
        return find_step(match, position.actions[root.best()])


_KINDS: Mapping[str, Callable[[str, Any, int], GameBot]] = {
    "random": lambda spec, game, _: RandomBot(spec, game, None),
    "mcts": lambda spec, game, number: MctsBot(spec, game, number, None, SECONDS),
    "alphabeta": lambda spec, game, number: AlphaBetaBot(spec, game, number, None, SECONDS),
    FAMILY: lambda spec, game, number: CarriedNetworkBot(spec, game, number),
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


class CarriedHost:
    """The host of requests about matches, see `MatchHost`. Each bot is made once."""

    def __init__(self) -> None:
        self._bots: dict[tuple[str, str, str], GameBot] = {}
        self.load_game = load_game
        self.table_of = carried_table
        self.proof_of = carried_proof

    def name_of(self, game: Any) -> str:
        """As in `MatchHost`."""
        name: str = game.name
        return name

    def about_tables(self, match: Match) -> str:
        """As in `MatchHost`."""
        return f"{begin(MISSING)}." if is_missing(match.game) else ""

    def choose_turn(self, match: Match, spec: str) -> tuple[Sequence[Any], str]:
        """As in `MatchHost`."""
        bot, ahead, note = self._bot(spec, match.game, "player"), match.copy(), ""
        while not ahead.is_over and ahead.player == match.player:
            ahead.push(bot.choose(ahead))
            note = note or bot.note
        return ahead.steps[match.num_steps :], note

    def evaluate(self, match: Match, evaluator: str, limits: Limits) -> tuple[Analysis, str]:
        """As in `MatchHost`."""
        bot = self._bot(SEARCHER if evaluator == SEARCH else evaluator, match.game, "evaluator")
        limits = replace(limits, seconds=min(limits.seconds or 0, SECONDS if evaluator != SEARCH else inf))
        return bot.analyse(match, limits, all_steps=True), bot.note

    def is_stopped(self) -> bool:
        """Never: the page ends the program."""
        return False

    def _bot(self, spec: str, game: Any, purpose: str) -> GameBot:
        key = game.name, spec, purpose
        if key not in self._bots:
            self._bots[key] = make_bot(spec, game)
        return self._bots[key]


HOST = CarriedHost()
