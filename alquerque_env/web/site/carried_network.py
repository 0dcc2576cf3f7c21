"""The bot of the network for all games on the static page: JavaScript evaluates the network, the rest is made here."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...bots.analysis import find_step
from ...bots.bot import GameBot
from ...bots.network.plain_inputs import plain_inputs
from ...search.puct import Node, Position


class NetworkNeeded(Exception):  # noqa: N818
    """The network has not been given to `add_network` for a game yet; its argument is the name of the game."""


class CarriedNetwork:
    """Policy and value of positions of a game.

    Args:
      game: The game.
      facts: Those of `plain_inputs`; whether the network sees the clock, and the exploration constant of its player.
      evaluate: Takes and returns JSON, see `family_network.js`.
    """

    def __init__(self, game: Any, facts: Mapping[str, Any], evaluate: Callable[[str], str]) -> None:
        self._table = game.table.words
        self._facts = facts
        self._evaluate = evaluate
        self.sees_clock, self.exploration = facts["sees_clock"], facts["exploration"]

    def __call__(self, position: Position) -> tuple[Sequence[float], float]:
        """The probability of each legal action and the value for the player to move, in [-1, 1]."""
        inputs = plain_inputs(self._table, self._facts, position)
        policy, value = json.loads(self._evaluate(json.dumps([*inputs, position.actions])))
        return policy, value


_NETWORKS: dict[str, CarriedNetwork] = {}


def add_network(game: Any, facts: str, evaluate: Callable[[str], str]) -> None:
    """Adds the network, as it is in a game, to what bots find."""
    _NETWORKS[game.name] = CarriedNetwork(game, json.loads(facts), evaluate)


class CarriedNetworkBot(GameBot):
    """Plays by a PUCT search, of at most so many `simulations` and `seconds` for a step."""

    def __init__(self, name: str, game: Any, simulations: int, seconds: float) -> None:
        super().__init__(name, game, None)
        if game.name not in _NETWORKS:
            raise NetworkNeeded(game.name)
        self.network = _NETWORKS[game.name]
        self._simulations, self._seconds = simulations, seconds

    def _decide(self, match: Any) -> Any:
        end = time.monotonic() + self._seconds
        root = Node(Position.of(match, sees_clock=self.network.sees_clock), self.network, self.network.exploration)
        while sum(root.visits) < self._simulations and time.monotonic() < end:
            root.simulate(self.network)
        return find_step(match, root.position.actions[root.best()])
