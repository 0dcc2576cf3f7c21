"""Tree search in many matches at once, so that a network evaluates the leaves of all trees in one batch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil, log2
from typing import Any

import numpy as np

from ..errors import AlquerqueError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.kernel_arrays import word_rows, words
from ..match.chain_check import check_states
from . import mcts_batch_kernels as k
from .mcts_batch_kernels import Decisions
from .root_noise import add_root_noise

GUMBEL, PUCT = k.GUMBEL, k.PUCT

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From int8 `[R, C, P]` observations to float32 or float64 `[R, A]` logits and `[R]` values for the player to move."""

# Room for edges, on average a node. In a tree of positions with unusually many choices the last leaves get no edges.
EDGES_PER_NODE = 24


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How a search selects actions.

    Attributes:
      kind: GUMBEL or PUCT.
      considered: Actions of a root that are considered, those with the highest logits after noise, GUMBEL.
      value_offset: Added to the visits of the most visited action, GUMBEL: `c_visit` of the paper.
      value_scale: Weight of values in [-1, 1] against logits, GUMBEL: `c_scale` of the paper.
      mmd_weight: Weight of the regularisation towards the uniform policy, in [0, 1], as in magnetic mirror descent
        (Sokota et al. 2023, arXiv:2206.05825) with the uniform policy as the reference, GUMBEL. The improved policy of
        a root leaves out this share of the network's logits. At 0 small differences in value add up from one
        improvement to the next, until the policy puts everything on one of several equal actions.
      exploration: Weight of the policy against values, PUCT.
      root_noise: Standard Gumbel noise on a root's logits (GUMBEL), or the share of Dirichlet noise in its policy
        (PUCT); 0 for none.
      dirichlet_total: Sum of the parameters of the Dirichlet noise.
    """

    kind: int = PUCT
    considered: int = 16
    value_offset: float = 50.0
    value_scale: float = 0.1
    mmd_weight: float = 0.0
    exploration: float = 1.5
    root_noise: float = 0.0
    dirichlet_total: float = 10.0


class BatchSearch:
    """Searches at most `B` matches of one game together, with at most so many simulations for each.

    Attributes:
      roots: int8 `[B, C, P]`, observations of the roots of the last search.
      trees: The trees of the last search.
    """

    def __init__(self, game: Game, matches: int, simulations: int, rule: Rule) -> None:
        self.game = game
        self.rule = rule
        t = self._t = game.table.words
        nodes = simulations + 1
        edges = nodes * EDGES_PER_NODE + game.num_actions
        settings = words(t, k.SETTINGS_SIZE)
        settings[k.NODES], settings[k.EDGES], settings[k.RULE] = nodes, edges, rule.kind
        self.trees = k.Trees(
            settings=settings,
            weights=np.array([rule.value_offset, rule.value_scale, rule.mmd_weight, rule.exploration]),
            states=word_rows(t, matches * nodes, t[TABLE.STATE_SIZE]),
            nodes=word_rows(t, matches * nodes, k.NODE_SIZE),
            sizes=word_rows(t, matches, 2),
            edges=word_rows(t, matches * edges, k.EDGE_SIZE),
            reals=np.zeros((matches * edges, k.EDGE_REALS)),
            values=np.zeros(matches * nodes),
            policy=np.zeros(game.num_actions),
        )
        self._leaves = words(t, matches)
        self._w, self._room = words(t, t[TABLE.SCRATCH_SIZE]), words(t, game.num_actions)
        self._observation = np.zeros((matches, len(game.planes), len(game.board.points)), np.int8)
        self.roots = self._observation

    def run(
        self, states: Any, past: Any, evaluate: Evaluate, simulations: int, generator: np.random.Generator | None = None
    ) -> Decisions:
        """Searches from some positions that are not over.

        Args:
          states: Integers `[N, S]`, the engine's states, at most `B`.
          past: Integers `[N, K]`, hashes of the positions since the last progress, as `rules.earlier_occurrences` keeps
            them; read only if the game has a repetition rule.
          evaluate: Returns logits and values.
          simulations: Number of simulations for each; with 0 the policy alone decides.
          generator: Source of the noise, if the rule has any.

        Raises:
          AlquerqueError: If an array has another type or shape, or a number is out of range.
        """
        states, past = self._check(states, past, simulations)
        count = len(states)
        # The kernels write observations one after another.
        flat = self._observation.reshape(-1)
        k.init_roots(self._t, self.trees, count, states, past, self._w, self._room, flat)
        roots = np.arange(count) * self.trees.settings[k.NODES]
        self._leaves[:count] = roots
        self.roots = self._observation[:count].copy()
        self._evaluate(evaluate, count)
        choices = np.array([self.trees.nodes[root][k.COUNT] for root in roots.tolist()], np.int64)
        add_root_noise(self.trees, choices, self.rule.root_noise, self.rule.dirichlet_total, generator)
        visits = considered_visits(choices, min(self.rule.considered, simulations or 1), simulations)
        required = words(self._t, count)
        for simulation in range(simulations):
            required[:] = visits[simulation]
            room = self._leaves, self._w, self._room, flat
            if found := k.select_and_expand(self._t, self.trees, count, past, required, *room):
                self._evaluate(evaluate, found)
        actions, counts = np.zeros((2, count), np.int64)
        legal = np.zeros((count, int(choices.max())), np.int64)
        decisions = Decisions(actions, counts, legal, np.zeros(legal.shape), np.zeros(count))
        k.decide(self.trees, count, decisions)
        return decisions

    def _check(self, states: Any, past: Any, simulations: int) -> tuple[Any, Any]:
        """The arguments of `run` as kernels take them."""
        settings = self.trees.settings
        known = check_states(self.game, states, AlquerqueError)
        count, most = len(known), len(self.trees.sizes)
        keys = check_array("past", past, "int64", (count, "K"))
        if not 0 < count <= most:
            raise AlquerqueError(f"states are of {count} matches, expected 1 to {most}")
        if not 0 <= simulations < settings[k.NODES]:
            raise AlquerqueError(f"simulations is {simulations!r}, expected 0 to {settings[k.NODES] - 1}")
        if self._t[TABLE.THREEFOLD] and keys.shape[1] <= known[:, STATE.QUIET].max():
            what = f"past has {keys.shape[1]} positions of a match, expected more than its plies without progress"
            raise AlquerqueError(f"{what}, {known[:, STATE.QUIET].max()}")
        return known, keys

    def _evaluate(self, evaluate: Evaluate, count: int) -> None:
        logits, values = evaluate(self._observation[:count])
        logits = check_array("logits", logits, "float32", (count, self.game.num_actions))
        k.evaluate_leaves(self.trees, self._leaves, count, logits, check_array("values", values, "float32", (count,)))


def considered_visits(choices: np.ndarray, considered: int, simulations: int) -> np.ndarray:
    """How many visits an action must have to be considered by each simulation.

    Args:
      choices: int64 `[B]`, numbers of legal actions.
      considered: The most actions to begin with.
      simulations: Number of simulations, `N`.

    Returns:
      int64 `[N, B]`.
    """
    sequences = np.array([halving(most, simulations) for most in range(considered + 1)], np.int64)
    return sequences.reshape(considered + 1, simulations)[np.minimum(choices, considered)].T


@cache
def halving(considered: int, simulations: int) -> tuple[int, ...]:
    """For each simulation the visits of a considered action by then. After each round the better half remains.

    Source: Karnin, Koren and Somekh 2013, Almost optimal exploration in multi-armed bandits, ICML; used at the root of
    a tree as in Danihelka et al. 2022, section 4.
    """
    if considered <= 1:
        return tuple(range(simulations))
    rounds = ceil(log2(considered))
    sequence: list[int] = []
    visits = [0] * considered
    left = considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            for index in range(left):
                visits[index] += 1
        left = max(2, left // 2)
    return tuple(sequence[:simulations])
