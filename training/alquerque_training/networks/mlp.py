"""A residual network over the flattened planes: the fastest kind, and the one that can be exported.

    h = relu(input(planes / plane_scale))
    h = relu(h + second(relu(first(h))))        for each block
    logits, value = policy(h), tanh(value(h))

with `layer(h) = weight @ h + bias`. The tensors of `weights.safetensors` have these names
(`blocks.0.first.weight`).
"""

import torch
from torch import Tensor, nn

from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.interface import PolicyValueNetwork, Shape
from alquerque_training.networks.layers import linear


class Block(nn.Module):
    """A residual block: `relu(h + second(relu(first(h))))`."""

    def __init__(self, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.first = linear(width, width, gain=2**0.5, generator=generator)
        self.second = linear(width, width, gain=0.1, generator=generator)

    def forward(self, hidden: Tensor) -> Tensor:
        """`[B, width]` to `[B, width]`."""
        return torch.relu(hidden + self.second(torch.relu(self.first(hidden))))


class ResidualMlp(PolicyValueNetwork):
    """Residual blocks over the flattened planes, or over other `inputs` of `judge`; see the top of this file."""

    def __init__(
        self,
        config: NetworkConfig,
        shape: Shape,
        plane_scale: Tensor,
        generator: torch.Generator | None,
        inputs: int | None = None,
    ) -> None:
        super().__init__(shape, plane_scale)
        self.input = linear(inputs or shape.planes * shape.points, config.width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(Block(config.width, generator) for _ in range(config.blocks))
        self.policy = linear(config.width, shape.actions, gain=0.01, generator=generator)
        self.value = linear(config.width, 1, gain=0.1, generator=generator)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.forward`."""
        return self.judge(self.scaled(planes).flatten(1))

    def judge(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values for `[B, inputs]` numbers."""
        hidden = torch.relu(self.input(inputs))
        for block in self.blocks:
            hidden = block(hidden)
        return self.policy(hidden), torch.tanh(self.value(hidden)).squeeze(-1)
