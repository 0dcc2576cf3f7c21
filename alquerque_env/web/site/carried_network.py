"""The bot of the network for all games on the static page: JavaScript evaluates the network, the rest is made here."""

import json
import time
from typing import Any

from ...bots.analysis import find_step
from ...bots.bot import GameBot
from ...bots.network.plain_inputs import plain_inputs
from ...search.puct import Node, Position


class NetworkNeeded(Exception):  # noqa: N818
    """A game has no `network` yet; the argument is the name of the game."""


class CarriedNetworkBot(GameBot):
    """Plays by a PUCT search, of at most so many `simulations` and `seconds` for a step.

    The `network` of its game are the facts that the page has of the game, and what evaluates inputs, see
    `family_network.js`.
    """

    def __init__(self, name: str, game: Any, simulations: int, seconds: float) -> None:
        super().__init__(name, game, None)
        if not hasattr(game, "network"):
            raise NetworkNeeded(game.name)
        self._facts, self._evaluate = game.network
        self._simulations, self._seconds = simulations, seconds

    def judge(self, position: Position) -> tuple[list[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        inputs = plain_inputs(self.game.table.words, self._facts, position)
        policy, value = json.loads(self._evaluate(json.dumps([*inputs, position.actions])))
        return policy, value

    def _decide(self, match: Any) -> Any:
        end = time.monotonic() + self._seconds
        position = Position.of(match, sees_clock=self._facts["sees_clock"])
        root = Node(position, self.judge, self._facts["exploration"])
        while sum(root.visits) < self._simulations and time.monotonic() < end:
            root.simulate(self.judge)
        return find_step(match, position.actions[root.best()])
