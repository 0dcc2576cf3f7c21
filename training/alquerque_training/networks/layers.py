"""Layers with random weights from a given generator, so that the same seed gives the same network."""

from typing import Any

import torch
from torch import Tensor, nn


def linear(inputs: int, outputs: int, *, gain: float, generator: torch.Generator) -> nn.Linear:
    """A linear layer with orthogonal weights; biases start at 0."""
    return _drawn(nn.Linear(inputs, outputs, device="meta"), gain, generator)


def conv(inputs: int, outputs: int, *, gain: float, generator: torch.Generator) -> nn.Conv2d:
    """A 3x3 convolution that keeps the size of the grid, with orthogonal weights; biases start at 0."""
    return _drawn(nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, device="meta"), gain, generator)


def _drawn(layer: Any, gain: float, generator: torch.Generator) -> Any:
    """The layer with memory for its weights and random numbers in it."""
    layer.to_empty(device="cpu")
    nn.init.orthogonal_(layer.weight, gain, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer


class PooledValue(nn.Module):
    """The value of a position from pooled features: `tanh(last(relu(first(pooled))))`."""

    def __init__(self, inputs: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.first = linear(inputs, width, gain=2**0.5, generator=generator)
        self.last = linear(width, 1, gain=0.03, generator=generator)

    def forward(self, pooled: Tensor) -> Tensor:
        """`[B, inputs]` to `[B]` in [-1, 1]."""
        return torch.tanh(self.last(torch.relu(self.first(pooled)))).squeeze(-1)
