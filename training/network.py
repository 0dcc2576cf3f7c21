"""Networks that give a position a policy and a value, behind one interface.

A network takes the planes as the environment gives them and divides them by their scale itself, so that its weights
are all one needs to evaluate a position. `ResidualMlp` is nothing but

    h = relu(input(planes / plane_scale))
    h = relu(h + second(relu(first(h))))        for each block
    logits, value = policy(h), tanh(value(h))

with `layer(h) = weight @ h + bias`, and the tensors of `weights.safetensors` have these names
(`blocks.0.first.weight`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor, nn

from training.config import NetworkConfig

# Finite, because -inf turns a row without legal actions, or a gradient through one, into NaN.
MASK_FILL = -1e9


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a game shows and asks: `C` planes over `P` points, `A` actions."""

    planes: int
    points: int
    actions: int


class PolicyValueNetwork(nn.Module):
    """What training, evaluation and export know of a network.

    Attributes:
      shape: The game's numbers.
      plane_scale: `[C]` divides the planes, so that they are in [0, 1].
    """

    plane_scale: Tensor

    def __init__(self, shape: Shape, plane_scale: Tensor) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("plane_scale", plane_scale.to(torch.float32).clone())

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates positions in the frame of the player to move.

        Args:
          planes: `[B, C, P]` of any number type, as the environment gives them.

        Returns:
          `[B, A]` logits, illegal actions included, and `[B]` values in [-1, 1] for the player to move.
        """
        raise NotImplementedError

    def scaled(self, planes: Tensor) -> Tensor:
        """`[B, C, P]` planes as numbers in [0, 1]."""
        return planes.to(torch.float32) / self.plane_scale[:, None]


class Linear(nn.Linear):
    """A linear layer with orthogonal weights drawn from a generator of our own."""

    def __init__(self, inputs: int, outputs: int, *, gain: float, generator: torch.Generator) -> None:
        self._gain, self._generator = gain, generator
        super().__init__(inputs, outputs)
        del self._generator

    def reset_parameters(self) -> None:
        """Draws the weights; biases start at 0."""
        nn.init.orthogonal_(self.weight, self._gain, generator=self._generator)
        nn.init.zeros_(self.bias)


class Block(nn.Module):
    """A residual block: `relu(h + second(relu(first(h))))`."""

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.first = Linear(width, width, gain=2**0.5, generator=generator)
        self.second = Linear(width, width, gain=0.1, generator=generator)

    def forward(self, hidden: Tensor) -> Tensor:
        """`[B, width]` to `[B, width]`."""
        return torch.relu(hidden + self.second(torch.relu(self.first(hidden))))


class ResidualMlp(PolicyValueNetwork):
    """Residual blocks over the flattened planes; see the top of this file."""

    def __init__(self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator) -> None:
        super().__init__(shape, plane_scale)
        self.input = Linear(shape.planes * shape.points, config.width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(Block(config.width, generator) for _ in range(config.blocks))
        self.policy = Linear(config.width, shape.actions, gain=0.01, generator=generator)
        self.value = Linear(config.width, 1, gain=0.1, generator=generator)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.forward`."""
        hidden = torch.relu(self.input(self.scaled(planes).flatten(1)))
        for block in self.blocks:
            hidden = block(hidden)
        return self.policy(hidden), torch.tanh(self.value(hidden)).squeeze(-1)


NETWORKS: Mapping[str, type[ResidualMlp]] = MappingProxyType({"mlp": ResidualMlp})


def build_network(
    config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator
) -> PolicyValueNetwork:
    """A network with fresh weights.

    Args:
      config: Its architecture.
      shape: The game's numbers.
      plane_scale: `[C]` divides the planes.
      generator: Source of the weights.
    """
    return NETWORKS[config.kind](config, shape, plane_scale, generator)


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the actions, all weight on the legal ones.

    Args:
      logits: `[B, A]`.
      mask: `[B, A]`, true where the action is legal. A row without any gives all actions the same.

    Returns:
      `[B, A]`, finite.
    """
    return torch.log_softmax(logits.masked_fill(~mask, MASK_FILL), dim=-1)
