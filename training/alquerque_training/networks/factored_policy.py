"""A policy in factors: the logit of a step is the sum of one for its origin and one for its target.

It is learned, by `network.factored`, and not saved: `expand` writes the sums out, as a row for each action.
"""

import copy

import torch
from torch import Tensor, nn

from alquerque_training.networks.board_geometry import Geometry
from alquerque_training.networks.interface import PolicyValueNetwork
from alquerque_training.networks.layers import linear


class FactoredPolicy(nn.Module):
    """Logits from `[B, width]` hidden features; a pass has two factors of its own."""

    factors: Tensor

    def __init__(self, width: int, geometry: Geometry, generator: torch.Generator | None) -> None:
        super().__init__()
        points = len(geometry.grid)
        rows = [
            (2 * points, 2 * points + 1) if move is None else (move.origin, points + move.target)
            for move in geometry.actions
        ]
        self.parts = linear(width, 2 * points + 2, gain=0.01, generator=generator)
        self.register_buffer("factors", torch.tensor(rows).T, persistent=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """`[B, width]` to `[B, A]`."""
        parts, (origin, target) = self.parts(hidden), self.factors
        return parts[:, origin] + parts[:, target]

    def expanded(self) -> nn.Linear:
        """The layer that gives the same logits from a row for each action."""
        origin, target = self.factors
        weight, bias = self.parts.weight, self.parts.bias
        layer = nn.Linear(weight.shape[1], len(origin), device="meta")
        layer.weight = nn.Parameter(weight[origin] + weight[target])
        layer.bias = nn.Parameter(bias[origin] + bias[target])
        return layer


@torch.no_grad()
def expand(network: PolicyValueNetwork) -> PolicyValueNetwork:
    """A copy of a network, whose policy, if it is in factors, is written out."""
    made = copy.deepcopy(network)
    if isinstance(policy := getattr(made, "policy", None), FactoredPolicy):
        made.policy = policy.expanded()
    return made
