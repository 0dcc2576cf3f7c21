"""PUCT in plain Python: a tree search guided by the policy and the value of a network, one simulation at a time.

Values are for `player_0` and are negated where `player_1` is to move, so a player who moves twice in a row, in the
middle of a chain, needs no special case. Steps without a choice are played on the way to the next choice or the end.
There is no noise: equal positions and evaluations give equal decisions.

The exported player carries this file.

Source: Silver et al. 2018, A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, Science 362, 1140-1144, supplement, "Search".
"""

from collections.abc import Callable, Container, Sequence
from math import sqrt
from typing import Any, NamedTuple

from ..engine import entry_points
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.hidden_clock import hide_clock
from ..game.kernel_arrays import copied, words
from ..game.outcomes import NOBODY, ONGOING
from ..match.match import Match

MAX_SIMULATIONS = 100_000
# Exploration constant, unless a player has its own. `training/EXPERIMENTS.md` has measurements of other constants.
EXPLORATION = 0.3
# The greatest exploration constant in settings and model cards. With it the policy alone decides.
MOST_EXPLORATION = 100
# Scores that differ by rounding alone count as equal, so that all evaluators of one network decide alike.
TOLERANCE = 1e-9
# Most steps without a choice that are played at a time.
LONGEST_FORCED = 64

RESULTS = {0: 1, 1: -1, NOBODY: 0}


class Position:
    """A position in a search tree.

    Attributes:
      table: The game's table.
      state: The engine's state.
      player: 0 or 1, the player to move.
      earlier: How often the position occurred before in the match.
      actions: The legal actions in ascending order; none when the match is over.
      result: The result for `player_0` when the match is over, 1, 0 or -1; None before.
    """

    __slots__ = ("_keys", "_room", "actions", "earlier", "player", "result", "state", "table")

    def __init__(self, table: Any, state: Any, keys: tuple[int, ...], earlier: int, room: tuple[Any, Any]) -> None:
        self.table = table
        self.state = state
        self.earlier = earlier
        self._keys = keys
        self._room = room
        self.player = int(state[STATE.PLAYER])
        scratch, legal = room
        count = entry_points.legal_actions(table, state, scratch, legal)
        # Not `outcome`: in an exported player that would hide the engine's function.
        code = int(entry_points.outcome(table, state, count, earlier))
        over = code != ONGOING
        self.actions: tuple[int, ...] = () if over else tuple(sorted(int(action) for action in legal[:count]))
        self.result = RESULTS[code % 4] if over else None

    @classmethod
    def of(cls, match: Match, *, sees_clock: bool = True) -> "Position":
        """Makes the position of a match, with its history; without the clock as if progress had just been made."""
        t = match.game.table.words
        state = copied(t, match.state)
        room = words(t, t[TABLE.SCRATCH_SIZE]), words(t, t[TABLE.NUM_ACTIONS])
        if not sees_clock:
            hide_clock(t, state)
        if not t[TABLE.THREEFOLD] or match.chain is not None or not sees_clock:
            return cls(t, state, (), 0, room)
        keys = tuple(int(key) for key in match.keys(int(state[STATE.QUIET]) + 1))
        return cls(t, state, keys, match.occurrences() - 1, room)

    def with_state(self, state: Any) -> "Position":
        """The same with another state, without earlier positions."""
        return Position(self.table, state, (), 0, self._room)

    def after(self, action: int) -> "Position":
        """Returns the position after a legal action."""
        t, state = self.table, self.state.copy()
        entry_points.apply_action(t, state, self._room[0], action)
        if not t[TABLE.THREEFOLD] or state[STATE.CHAIN] >= 0:
            return Position(t, state, (), 0, self._room)
        before = self._keys[: int(state[STATE.QUIET])]
        key = int(entry_points.position_key(t, state))
        return Position(t, state, (*before, key), before.count(key), self._room)


Evaluate = Callable[[Position], tuple[Sequence[float], float]]
"""From a position to the probability of each of its actions and the value for the player to move, in [-1, 1]."""


class Decision(NamedTuple):
    """A decision in a position.

    Attributes:
      action: The action to play.
      policy: Probability of each legal action: its share of the visits, or its prior without simulations.
      value: The expected result for the player to move, in [-1, 1].
    """

    action: int
    policy: tuple[float, ...]
    value: float


def decide(
    position: Position,
    evaluate: Evaluate,
    simulations: int,
    keeping: Container[int] | None = None,
    exploration: float = EXPLORATION,
) -> Decision:
    """Chooses an action.

    Args:
      position: A position that is not over.
      evaluate: Returns policy and value.
      simulations: Number of simulations; with 0 the policy alone decides.
      keeping: The actions to choose from; None for all.
      exploration: The exploration constant.

    Returns:
      The action with most visits, of equals the one with the best value, or without simulations the most probable one.
      Remaining ties go to the lowest action.
    """
    root = Node(position, evaluate, exploration)
    for _ in range(simulations):
        root.simulate(evaluate)
    policy = tuple(visits / simulations for visits in root.visits) if simulations else tuple(root.priors)
    return Decision(position.actions[root.best(keeping)], policy, root.value_to_mover)


class Node:
    """A position in the tree.

    Attributes:
      position: The position.
      exploration: The exploration constant, here and below.
      sign: 1 where `player_0` is to move, -1 where `player_1` is.
      value: The evaluation, or the result where the match is over, for `player_0`.
      priors: The policy.
      visits: Number of visits of each action.
      totals: Sums of the values of these visits, for `player_0`.
      children: The node after each action, None without a visit.
    """

    __slots__ = ("children", "exploration", "position", "priors", "sign", "totals", "value", "visits")

    def __init__(self, position: Position, evaluate: Evaluate, exploration: float = EXPLORATION) -> None:
        self.position = position
        self.exploration = exploration
        self.sign = 1 if position.player == 0 else -1
        self.priors: Sequence[float] = ()
        if position.result is None:
            self.priors, value = evaluate(position)
            self.value = self.sign * value
        else:
            self.value = float(position.result)
        self.visits = [0] * len(self.priors)
        self.totals = [0.0] * len(self.priors)
        self.children: list[Node | None] = [None] * len(self.priors)

    @property
    def value_to_mover(self) -> float:
        """Mean of the evaluation and of all simulations, for the player to move."""
        return self.sign * (self.value + sum(self.totals)) / (1 + sum(self.visits))

    def simulate(self, evaluate: Evaluate) -> None:
        """Selects a path down the tree, adds a node at its end and backs its value up."""
        path: list[tuple[Node, int]] = []
        node: Node | None = self
        while node is not None and node.position.result is None:
            index = node.select()
            path.append((node, index))
            node = node.children[index]
        if node is None:
            parent, index = path[-1]
            position = _next_choice(parent.position.after(parent.position.actions[index]))
            node = Node(position, evaluate, self.exploration)
            parent.children[index] = node
        for parent, index in path:
            parent.visits[index] += 1
            parent.totals[index] += node.value

    def select(self) -> int:
        """The index of the action with the highest upper bound. An action without a visit has the value of the node."""
        sign, unvisited = self.sign, self.value_to_mover
        weight = self.exploration * sqrt(1 + sum(self.visits))
        return _first_best(
            [
                (sign * total / visits if visits else unvisited) + weight * prior / (1 + visits)
                for prior, visits, total in zip(self.priors, self.visits, self.totals, strict=True)
            ]
        )

    def best(self, keeping: Container[int] | None = None) -> int:
        """The index among the actions to keep, None for all, of the one with most visits.

        Of equals it is the one with the best value; without visits the most probable.
        """
        actions = self.position.actions
        among = [index for index, action in enumerate(actions) if keeping is None or action in keeping]
        most = max(self.visits[index] for index in among)
        if most == 0:
            return among[_first_best([self.priors[index] for index in among])]
        visited = [index for index in among if self.visits[index] == most]
        return visited[_first_best([self.sign * self.totals[index] / most for index in visited])]


def _next_choice(position: Position) -> Position:
    """Plays steps without a choice until there is a choice or the match is over."""
    for _ in range(LONGEST_FORCED):
        if len(position.actions) != 1:
            break
        position = position.after(position.actions[0])
    return position


def _first_best(scores: Sequence[float]) -> int:
    """The index of the highest score, the lowest of equals."""
    enough = max(scores) - TOLERANCE
    return next(index for index, score in enumerate(scores) if score >= enough)
