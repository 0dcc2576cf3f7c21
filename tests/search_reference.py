"""An independent implementation of the tree search, slow and plain, to compare the compiled one with.

Nodes and edges are objects, one match is searched at a time, and only the rules of play are taken from the package. It
is written from the papers. Where they leave something open, or the package differs on purpose, it follows the package:

* A player may move twice in a row, so values are not negated from level to level but kept for each player.
* Without a repetition rule, steps without a choice are played on the way to the next choice or the end, at most 64 at a
  time. A root stays where it is.
* Scores that differ by 1e-9 or less count as equal. Among equals the lowest action is chosen.
* The value of a search is the mean of the root's evaluation and all simulations.
* Gumbel: values lie in [-1, 1] and are not rescaled to the range in the tree. A round of sequential halving visits its
  actions one after another, each time the best of those left from the round before; the paper drops the worse half at
  once. Two actions always remain.
* Gumbel: the improved policy may leave out a share of the logits (`mmd_weight`).
* PUCT: the exploration constant does not grow, and the evaluation of a position counts as a visit to it. An action
  without a visit has the mean value of its position. Of the actions with most visits, the one with the best mean is
  played.

Sources: Danihelka et al. 2022, Policy improvement by planning with Gumbel, ICLR (untried actions: appendix D); Karnin,
Koren and Somekh 2013, Almost optimal exploration in multi-armed bandits, ICML; Silver et al. 2018, A general
reinforcement learning algorithm that masters chess, shogi, and Go through self-play, Science 362, supplement, "Search".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, exp, log, log2, sqrt
from typing import NamedTuple

from alquerque_env import Match
from alquerque_env.game.step import Step

Evaluate = Callable[[Match], tuple[Sequence[float], float]]
"""From a match to a logit for each of its legal steps and the value for the player to move."""

Worths = tuple[float, float]
EQUAL = 1e-9
LONGEST_FORCED = 64


@dataclass(eq=False)
class RefEdge:
    """A legal step of a position in the tree.

    Attributes:
      step: The step.
      prior: Its probability, in PUCT with the noise of a root.
      logit: Logarithm of its probability, without noise.
      noise: Added to the logit at a root, Gumbel.
      visits: Simulations that went through it.
      totals: Sum of what came of them, for each player.
      child: The position that it leads to, None before the first simulation.
    """

    step: Step
    prior: float
    logit: float
    noise: float = 0.0
    visits: int = 0
    totals: list[float] = field(default_factory=lambda: [0.0, 0.0])
    child: "RefNode | None" = None


class RefNode:
    """A position in the tree.

    Attributes:
      match: The match there.
      line: The steps that lead there from the root, those without a choice too.
      worths: Its evaluation, or its result where the match is over, for each player.
      edges: Its legal steps, by action; none where the match is over.
    """

    def __init__(self, match: Match, line: tuple[str, ...], evaluate: Evaluate) -> None:
        self.match = match
        self.line = line
        self.edges: list[RefEdge] = []
        self.worths = _result(match)
        if not match.is_over:
            logits, value = evaluate(match)
            self.worths = (value, -value) if match.player == 0 else (-value, value)
            priors = _softmax(logits)
            self.edges = [RefEdge(*edge, log(edge[1])) for edge in zip(match.legal_steps, priors, strict=True)]

    @property
    def visits(self) -> int:
        """Simulations that went through its edges."""
        return sum(edge.visits for edge in self.edges)

    @property
    def own(self) -> float:
        """Its evaluation for the player to move."""
        return self.worths[self.match.player]

    @property
    def mean(self) -> float:
        """Mean of its evaluation and of all simulations, for the player to move."""
        total = self.own + sum(edge.totals[self.match.player] for edge in self.edges)
        return total / (1 + self.visits)

    def worth(self, edge: RefEdge, untried: float) -> float:
        """What came of an edge on average, for the player to move; `untried` if nothing did."""
        return edge.totals[self.match.player] / edge.visits if edge.visits else untried

    def after(self, edge: RefEdge, evaluate: Evaluate) -> "RefNode":
        """The position that an edge leads to."""
        match = self.match.copy()
        match.push(edge.step)
        if match.game.options["repetition"] == "off":
            for _ in range(LONGEST_FORCED):
                if len(match.legal_steps) != 1:
                    break
                match.push(match.legal_steps[0])
        new = match.steps[len(self.match.steps) :]
        return RefNode(match, (*self.line, *(step.text for step in new)), evaluate)


class RefTree(NamedTuple):
    """What a search has found.

    Attributes:
      root: The root of its tree.
      step: The step to play.
      policy: The improved probability of each legal step.
      value: For the player to move.
    """

    root: RefNode
    step: Step
    policy: list[float]
    value: float


@dataclass(frozen=True, kw_only=True)
class RefGumbel:
    """Sequential halving at the root, below it the edge that lags most behind the improved policy.

    Attributes:
      considered: The most actions that the root looks at.
      value_offset: `c_visit`.
      value_scale: `c_scale`.
      mmd_weight: Share of the root's own logits that its improved policy leaves out.
      root_noise: Weight of the noise.
    """

    considered: int
    value_offset: float
    value_scale: float
    mmd_weight: float
    root_noise: float

    def search(self, match: Match, evaluate: Evaluate, simulations: int, drawn: Sequence[float]) -> RefTree:
        """Searches a match that is not over; `drawn` is Gumbel noise for each legal step, or nothing."""
        root = RefNode(match, (), evaluate)
        for edge, noise in zip(root.edges, drawn, strict=bool(drawn)):
            edge.noise = self.root_noise * noise
        going_on, left = root.edges, simulations
        for size in _rounds(min(self.considered, len(root.edges), simulations), simulations):
            waiting, going_on = going_on, []
            for _ in range(min(size, left)):
                edge = self._best(root, [edge for edge in waiting if edge not in going_on])
                _simulate(root, edge, self._select, evaluate)
                going_on.append(edge)
            left -= len(going_on)
        most = max(edge.visits for edge in root.edges)
        best = self._best(root, [edge for edge in root.edges if edge.visits == most])
        return RefTree(root, best.step, self._improved(root, 1 - self.mmd_weight), root.mean)

    def _best(self, root: RefNode, among: list[RefEdge]) -> RefEdge:
        scores = dict(zip(root.edges, self._transformed(root), strict=True))
        ordered = [edge for edge in root.edges if edge in among]
        return ordered[_first_best([edge.noise + edge.logit + scores[edge] for edge in ordered])]

    def _select(self, node: RefNode) -> RefEdge:
        visits = node.visits
        policy = zip(node.edges, self._improved(node), strict=True)
        return node.edges[_first_best([improved - edge.visits / (1 + visits) for edge, improved in policy])]

    def _improved(self, node: RefNode, kept: float = 1.0) -> list[float]:
        """The improved policy, with a share of its own logits."""
        return _softmax(
            [kept * edge.logit + add for edge, add in zip(node.edges, self._transformed(node), strict=True)]
        )

    def _transformed(self, node: RefNode) -> list[float]:
        """What is known or guessed of the value of each edge, as it is added to logits: `sigma(completed q)`."""
        weight = (self.value_offset + max(edge.visits for edge in node.edges)) * self.value_scale
        untried = _mixed_value(node)
        return [weight * node.worth(edge, untried) for edge in node.edges]


@dataclass(frozen=True, kw_only=True)
class RefPuct:
    """The edge with the highest upper bound, from the root on.

    Attributes:
      exploration: Weight of the policy.
      root_noise: Share of noise in the policy of the root.
    """

    exploration: float
    root_noise: float

    def search(self, match: Match, evaluate: Evaluate, simulations: int, drawn: Sequence[float]) -> RefTree:
        """Searches a match that is not over; `drawn` is a positive number for each legal step, or nothing."""
        root = RefNode(match, (), evaluate)
        for edge, noise in zip(root.edges, drawn, strict=bool(drawn)):
            edge.prior = (1 - self.root_noise) * edge.prior + self.root_noise * noise / sum(drawn)
        for _ in range(simulations):
            _simulate(root, self._select(root), self._select, evaluate)
        most = max(edge.visits for edge in root.edges)
        visited = [edge for edge in root.edges if edge.visits == most]
        best = visited[_first_best([root.worth(edge, 0.0) for edge in visited])]
        return RefTree(root, best.step, [edge.visits / simulations for edge in root.edges], root.mean)

    def _select(self, node: RefNode) -> RefEdge:
        mean, weight = node.mean, self.exploration * sqrt(1 + node.visits)
        bounds = [node.worth(edge, mean) + weight * edge.prior / (1 + edge.visits) for edge in node.edges]
        return node.edges[_first_best(bounds)]


def _simulate(root: RefNode, first: RefEdge, select: Callable[[RefNode], RefEdge], evaluate: Evaluate) -> None:
    """Goes down from the root by its edge `first` to a new position or an end, and tells the way what came of it."""
    way = [(root, first)]
    node = first.child
    while node is not None and not node.match.is_over:
        way.append((node, select(node)))
        node = way[-1][1].child
    if node is None:
        parent, edge = way[-1]
        node = edge.child = parent.after(edge, evaluate)
    for _, edge in way:
        edge.visits += 1
        for player in (0, 1):
            edge.totals[player] += node.worths[player]


def _rounds(considered: int, simulations: int) -> list[int]:
    """For each time that the actions still in question are gone through, how many they are; more than are needed."""
    if considered <= 1:
        return [1] * simulations
    phases = ceil(log2(considered))
    sizes: list[int] = []
    while sum(sizes) < simulations:
        sizes += [considered] * max(1, simulations // (phases * considered))
        considered = max(2, considered // 2)
    return sizes


def _mixed_value(node: RefNode) -> float:
    """What an untried edge is worth: `v_mix`, appendix D of the paper."""
    tried = [edge for edge in node.edges if edge.visits]
    if not tried:
        return node.own
    mean = sum(edge.prior * node.worth(edge, 0.0) for edge in tried) / sum(edge.prior for edge in tried)
    return (node.own + node.visits * mean) / (1 + node.visits)


def _result(match: Match) -> Worths:
    winner = match.outcome.winner if match.outcome else None
    return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def _softmax(logits: Sequence[float]) -> list[float]:
    highest = max(logits)
    weights = [exp(logit - highest) for logit in logits]
    return [weight / sum(weights) for weight in weights]


def _first_best(scores: Sequence[float]) -> int:
    enough = max(scores) - EQUAL
    return next(place for place, score in enumerate(scores) if score >= enough)
