"""Monte Carlo tree search.

Source for the choice of the step with most visits: Coulom 2006, Efficient Selectivity and Backup Operators in
Monte-Carlo Tree Search.
"""

from dataclasses import dataclass
from typing import Any

from .. import engine as e
from ..game import Game
from ..match import Match, Step
from ..storage import JIT, words
from . import mcts_kernels as k
from .bot import Deadline, GameBot

MAX_SIMULATIONS = 10_000_000

MAX_NODES = 1 << 22 if JIT else 1 << 16
NODES_PER_SIMULATION = 16
"""Ample for the branching of these games. A tree without room stops growing, and playouts begin at its leaves."""

SIMULATIONS_AT_ONCE = 1 << 9 if JIT else 1
"""How long the search runs before Python looks at the clock and at the keyboard."""

ROOM_FOR_KEYS = 1_000
"""Turns without progress after which a playout is taken for a draw, where only repetition ends such a match."""


@dataclass(frozen=True)
class StepStatistics:
    """What a search found out about a step.

    Attributes:
      step: The step.
      visits: How many simulations went through it.
      value: Their mean result for the player to move, in [-1, 1]; 0 without visits.
    """

    step: Step
    visits: int
    value: float


class MctsBot(GameBot):
    """Plays the step that most of its simulations went through.

    Args:
      name: Its spec.
      game: The game that it plays.
      simulations: How many for a step, from 1 to `MAX_SIMULATIONS`.
      seed: Makes its choices repeatable; None for another course each time.
      time_limit: Seconds for a step, None for as long as it takes.
    """

    def __init__(self, name: str, game: Game, simulations: int, seed: int | None, time_limit: float | None) -> None:
        super().__init__(name, game, seed)
        self.simulations = simulations
        self.time_limit = time_limit
        t = game.table.words
        self._state = words(t[e.T_STATE_SIZE])
        self._scratch = words(t[e.T_SCRATCH_SIZE])
        self._actions = words(t[e.T_NUM_ACTIONS])
        children = NODES_PER_SIMULATION * simulations + t[e.T_NUM_ACTIONS]
        self._tree = words(k.NODE_SIZE * (1 + min(children, MAX_NODES)))

    def analyse(self, match: Match) -> tuple[StepStatistics, ...]:
        """Searches a position that is not over; returns what it found out about each legal step.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        self._search(match, Deadline(self.time_limit))
        tree, sign = self._tree, 1 - 2 * match.player
        found = {}
        for child in range(tree[k.FIRST], tree[k.FIRST] + k.NODE_SIZE * tree[k.CHILDREN], k.NODE_SIZE):
            visits = int(tree[child + k.VISITS])
            found[int(tree[child + k.ACTION])] = (visits, sign * int(tree[child + k.TOTAL]) / max(visits, 1))
        return tuple(StepStatistics(step, *found[step.action]) for step in match.legal_steps)

    def _decide(self, match: Match) -> Step:
        found = self.analyse(match)
        best = max((entry.visits, entry.value) for entry in found)
        return self._pick([entry.step for entry in found if (entry.visits, entry.value) == best])

    def _search(self, match: Match, deadline: Deadline) -> None:
        t = self.game.table.words
        state = match.state
        self._tree[: k.NODE_SIZE] = [-1, 0, 0, 0, e.ONGOING, 0, 0]
        rng = words(1)
        rng[0] = int(self._generator.integers(1 << 62))
        past, keys, room = self._keys(match)
        end = k.NODE_SIZE
        left = self.simulations
        while left > 0:
            count = min(left, SIMULATIONS_AT_ONCE)
            end = k.simulate(
                t, state, self._state, self._scratch, self._actions, past, keys, room, self._tree, end, rng, count
            )
            left -= count
            if deadline.is_over:
                break

    def _keys(self, match: Match) -> tuple[Any, Any, int]:
        """The keys of the positions up to now, room for more, and how much."""
        t = self.game.table.words
        clock = int(match.state[e.QUIET])
        room = clock + ROOM_FOR_KEYS
        if t[e.T_NO_PROGRESS_LIMIT]:
            room = int(t[e.T_NO_PROGRESS_LIMIT]) + 2
        if not t[e.T_THREEFOLD]:
            return words(1), words(1), 1
        return (words(room) if match.chain is not None else match.keys(room)), words(room), room
