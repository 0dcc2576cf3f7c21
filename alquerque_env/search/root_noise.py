"""The noise at the roots of a tree search: Gumbel noise, or Dirichlet noise.

Sources: Danihelka et al. 2022, Policy improvement by planning with Gumbel, ICLR; Silver et al. 2017, Nature 550
(Dirichlet noise).
"""

import math

import numpy as np

from ..engine.compiler import entry_kernel
from ..engine.kernel_types import RealRows
from .mcts_batch_kernels import COUNT, FIRST, GUMBEL, LOGIT, NODES, NOISE, RULE, Trees


def add_root_noise(
    trees: Trees, choices: np.ndarray, share: float, dirichlet_total: float, generator: np.random.Generator | None
) -> None:
    """Draws noise and adds it at the roots of trees.

    Args:
      trees: The trees, expanded at the root.
      choices: int64 `[B]`, the numbers of legal actions at the roots.
      share: Factor of the Gumbel noise, or share of the Dirichlet noise in the policy.
      dirichlet_total: Sum of the parameters of the Dirichlet noise.
      generator: Source of the noise; None for no noise.
    """
    shape = len(choices), int(choices.max())
    if trees.settings[RULE] == GUMBEL:
        _add(trees, len(choices), generator.gumbel(size=shape) * share if share and generator else np.zeros(shape))
    elif share and generator:
        _mix(trees, len(choices), generator.standard_gamma(dirichlet_total / choices[:, None], shape), share)


@entry_kernel
def _add(p: Trees, count: int, noise: RealRows) -> None:
    """Sets the noise of the roots' edges, which is added to their logits (GUMBEL)."""
    for match in range(count):
        root = p.nodes[match * p.settings[NODES]]
        for index in range(root[COUNT]):
            p.reals[root[FIRST] + index][NOISE] = noise[match][index]


@entry_kernel
def _mix(p: Trees, count: int, noise: RealRows, share: float) -> None:
    """Mixes a share of noise into the priors of the roots' edges (PUCT)."""
    for match in range(count):
        root = p.nodes[match * p.settings[NODES]]
        n = root[COUNT]
        total = 0.0
        for index in range(n):
            total += noise[match][index]
        for index in range(n):
            edge = p.reals[root[FIRST] + index]
            drawn = noise[match][index] / total if total > 0.0 else 1.0 / n
            edge[LOGIT] = math.log((1.0 - share) * math.exp(edge[LOGIT]) + share * drawn + 1e-30)
