"""PUCT: tree search led by a policy and a value, one simulation after another.

Values are kept in the eyes of `player_0` and turned when they are read: a player who is to move twice in a row, in the
middle of a chain, needs no special case. Steps without a choice are gone through on the way to the next choice or the
end. There is no noise: the same position and evaluation lead to the same decision.

Standard library only: the exported player carries this file as it is.

Source: Silver et al. 2018, A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play, Science 362, 1140-1144, supplement, "Search".
"""

from collections.abc import Callable, Container, Sequence
from math import sqrt
from typing import NamedTuple, Protocol

MAX_SIMULATIONS = 100_000
# Weight of the policy against what the search has found out, unless a player has another; what other numbers did is in
# `training/EXPERIMENTS.md`, "What a search may doubt".
EXPLORATION = 0.3
# The highest that settings and cards may have: there the policy decides all that a search of any length here can.
MOST_EXPLORATION = 100
# Scores that rounding alone keeps apart count as equal, so that two evaluators of one network decide alike.
TOLERANCE = 1e-9
# Steps without a choice gone through at a time.
LONGEST_FORCED = 64


class SearchPosition(Protocol):
    """What the search asks of a position."""

    @property
    def player(self) -> int:
        """The player to move, 0 or 1."""

    @property
    def actions(self) -> Sequence[int]:
        """The legal actions in ascending order; none when the match is over."""

    @property
    def result(self) -> int | None:
        """What `player_0` gets when the match is over, 1, 0 or -1; None while it goes on."""

    def after(self, action: int) -> "SearchPosition":
        """The position after a legal action."""


Evaluate = Callable[..., tuple[Sequence[float], float]]
"""From a position to the probability of each of its actions and the value for the player to move, in [-1, 1]."""


class Decision(NamedTuple):
    """What was decided in a position.

    Attributes:
      action: What to play.
      policy: Probability of each legal action: the policy's, or the share of the simulations that went there.
      value: The result to expect, for the player to move, in [-1, 1].
    """

    action: int
    policy: tuple[float, ...]
    value: float


def decide(
    position: SearchPosition,
    evaluate: Evaluate,
    simulations: int,
    keeping: Container[int] | None = None,
    exploration: float = EXPLORATION,
) -> Decision:
    """Chooses an action.

    Args:
      position: A position that is not over.
      evaluate: Gives policy and value.
      simulations: How many to spend; with none the policy alone decides.
      keeping: The actions to choose from; None for all.
      exploration: Weight of the policy against what the search has found out.

    Returns:
      The most probable action without simulations, else the one most simulations went to, the better of equals; the
      lowest where that does not decide either.
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
      exploration: Weight of the policy against what the search has found out, here and below.
      sign: 1 where `player_0` is to move, -1 where `player_1` is.
      value: The evaluation, or the result where the match is over, for `player_0`.
      priors: The policy.
      visits: Simulations that went on with each action.
      totals: Sums of what they came to, for `player_0`.
      children: The positions reached by each action, None where no simulation went yet.
    """

    __slots__ = ("children", "exploration", "position", "priors", "sign", "totals", "value", "visits")

    def __init__(self, position: SearchPosition, evaluate: Evaluate, exploration: float = EXPLORATION) -> None:
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
        """Goes down the tree from here, adds a position below it and carries its value back up."""
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
        """The index of the action with the highest upper bound; an untried one is taken to be worth the position."""
        sign, untried = self.sign, self.value_to_mover
        weight = self.exploration * sqrt(1 + sum(self.visits))
        return _first_best(
            [
                (sign * total / visits if visits else untried) + weight * prior / (1 + visits)
                for prior, visits, total in zip(self.priors, self.visits, self.totals, strict=True)
            ]
        )

    def best(self, keeping: Container[int] | None = None) -> int:
        """The index of the action with most visits, the better of equals; without any visits the most probable.

        Args:
          keeping: The actions to choose from; None for all.
        """
        actions = self.position.actions
        among = [index for index, action in enumerate(actions) if keeping is None or action in keeping]
        most = max(self.visits[index] for index in among)
        if most == 0:
            return among[_first_best([self.priors[index] for index in among])]
        visited = [index for index in among if self.visits[index] == most]
        return visited[_first_best([self.sign * self.totals[index] / most for index in visited])]


def _next_choice(position: SearchPosition) -> SearchPosition:
    """Goes on until there is a choice or the match is over."""
    for _ in range(LONGEST_FORCED):
        if len(position.actions) != 1:
            break
        position = position.after(position.actions[0])
    return position


def _first_best(scores: Sequence[float]) -> int:
    """The index of the highest score, the lowest of equals."""
    enough = max(scores) - TOLERANCE
    return next(index for index, score in enumerate(scores) if score >= enough)
