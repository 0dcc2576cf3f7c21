"""Search trees of many matches side by side, so that a network is asked once for all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..game import table_layout as e
from ..game.game import Game
from ..game.kernel_arrays import word_rows, words
from ..game.planes import planes
from . import tree_kernels as k
from .sequential_halving import considered_visits

GUMBEL, PUCT = k.GUMBEL, k.PUCT

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From int8 `[R, C, P]` observations to float32 `[R, A]` logits and `[R]` values for the player to move."""

# Edges a node: room for all but a tree of positions with an unusual choice, whose last leaves get no edges then.
EDGES_PER_NODE = 24


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How a search chooses.

    Attributes:
      kind: GUMBEL or PUCT.
      considered: Actions of a root that GUMBEL looks at, those with the highest logits after noise.
      value_offset: Added to the visits of the most visited action, GUMBEL: `c_visit` of the paper.
      value_scale: Weight of values in [-1, 1] against logits, GUMBEL: `c_scale` of the paper.
      mmd_weight: Weight of the regularisation towards the uniform policy, in [0, 1], as in magnetic mirror descent with
        a uniform magnet (Sokota et al. 2023, arXiv:2206.05825), GUMBEL. The improved policy of a root leaves out this
        share of the network's logits. At 0 small differences in value add up from one improvement to the next, until
        the policy puts everything on one of several equal actions.
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


class Decisions(NamedTuple):
    """What searches of `B` matches came to.

    Attributes:
      actions: int64 `[B]`, to play.
      counts: int64 `[B]`, numbers of legal actions.
      legal: int64 `[B, K]`, legal actions in ascending order, as many as `counts` says.
      policy: float64 `[B, K]`, their probabilities as the search has improved them.
      values: float64 `[B]`, for the players to move.
    """

    actions: np.ndarray
    counts: np.ndarray
    legal: np.ndarray
    policy: np.ndarray
    values: np.ndarray


class BatchSearch:
    """Searches matches of one game together.

    Args:
      game: What is played.
      matches: The most matches at once, `B`.
      simulations: The most simulations for each.
      rule: How to choose.

    Attributes:
      roots: int8 `[B, C, P]`, what the players saw where the last search began.
    """

    def __init__(self, game: Game, matches: int, simulations: int, rule: Rule) -> None:
        self.game = game
        self.rule = rule
        self.simulations = simulations
        t = self._t = game.table.words
        nodes = simulations + 1
        edges = nodes * EDGES_PER_NODE + game.num_actions
        self._b = words(k.SEARCH_SIZE)
        self._b[k.NODES], self._b[k.EDGES], self._b[k.RULE] = nodes, edges, rule.kind
        self._weights = np.array([rule.value_offset, rule.value_scale, rule.mmd_weight, rule.exploration])
        self._states = word_rows(matches * nodes, t[e.T_STATE_SIZE])
        self._nodes = words(matches * nodes * k.NODE_SIZE)
        self._ends = words(2 * matches)
        self._edges = words(matches * edges * k.EDGE_SIZE)
        self._reals = np.zeros(matches * edges * k.EDGE_REALS)
        self._values = np.zeros(matches * nodes)
        self._leaves = words(matches)
        self._w, self._room = words(t[e.T_SCRATCH_SIZE]), words(game.num_actions)
        self._scratch = np.zeros(game.num_actions)
        self._shape = len(planes(game)), len(game.board.points)
        self._observation = np.zeros((matches, *self._shape), np.int8)
        self.roots = self._observation

    def run(
        self,
        states: Any,
        past: Any,
        evaluate: Evaluate,
        simulations: int,
        generator: np.random.Generator | None = None,
    ) -> Decisions:
        """Searches from some positions that are not over.

        Args:
          states: Rows of words, the engine's states.
          past: Rows of words, hashes of the positions since the last progress, as `engine.earlier_occurrences` keeps
            them; looked at only where the game looks at repetition.
          evaluate: Gives policies and values.
          simulations: For each of them; with 0 the policy alone decides.
          generator: Source of the noise, where the rule wants any.
        """
        count = len(states)
        # Rows of an array of bytes for the kernels, which write observations one after another.
        flat = self._observation.reshape(-1)
        tree = self._states, self._nodes, self._ends, self._edges
        k.plant(self._t, self._b, states, past, *tree, self._w, self._room, flat)
        roots = np.arange(count) * self._b[k.NODES]
        self._leaves[:count] = roots if isinstance(self._leaves, np.ndarray) else roots.tolist()
        self.roots = self._observation[:count].copy()
        self._take_in(count, evaluate)
        choices = self._choices(count)
        self._stir(choices, generator)
        visits = considered_visits(choices, min(self.rule.considered, simulations or 1), simulations)
        wanted = words(count)
        numbers = self._reals, self._values, self._weights, self._scratch
        asked = wanted, self._leaves, self._w, self._room, flat
        for simulation in range(simulations):
            wanted[:] = visits[simulation] if isinstance(wanted, np.ndarray) else visits[simulation].tolist()
            found = k.descend(self._t, self._b, past, *tree, *numbers, *asked)
            if found:
                self._take_in(found, evaluate)
        return self._decide(count)

    def _take_in(self, count: int, evaluate: Evaluate) -> None:
        logits, values = evaluate(self._observation[:count])
        k.take_in(
            self._states, self._nodes, self._edges, self._reals, self._values, self._leaves, count, logits, values
        )

    def _choices(self, count: int) -> np.ndarray:
        """int64 `[count]`, the numbers of legal actions at the roots."""
        places = np.arange(count) * (self._b[k.NODES] * k.NODE_SIZE) + k.COUNT
        return np.asarray(self._nodes)[places]

    def _stir(self, choices: np.ndarray, generator: np.random.Generator | None) -> None:
        """Adds noise at the roots."""
        noise = self.rule.root_noise
        shape = len(choices), int(choices.max())
        if self.rule.kind == GUMBEL:
            drawn = generator.gumbel(size=shape) * noise if noise and generator else np.zeros(shape)
            k.add_noise(self._b, self._nodes, self._reals, drawn)
        elif noise and generator:
            drawn = generator.standard_gamma(self.rule.dirichlet_total / choices[:, None], shape)
            k.blend_noise(self._b, self._nodes, self._reals, drawn, noise)

    def _decide(self, count: int) -> Decisions:
        width = int(self._choices(count).max())
        actions, counts, legal = words(count), words(count), word_rows(count, width)
        policy, values = np.zeros((count, width)), np.zeros(count)
        k.decide(
            self._b,
            self._states,
            self._nodes,
            self._edges,
            self._reals,
            self._values,
            self._weights,
            self._scratch,
            count,
            actions,
            counts,
            legal,
            policy,
            values,
        )
        return Decisions(np.asarray(actions), np.asarray(counts), np.asarray(legal), policy, values)
