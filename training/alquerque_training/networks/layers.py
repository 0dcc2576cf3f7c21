"""Layers with random weights from a given generator, so that the same seed gives the same network.

Without a generator, weights have a shape and no memory. A network of such layers shows what a checkpoint must hold.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def linear(inputs: int, outputs: int, *, gain: float, generator: torch.Generator | None) -> nn.Linear:
    """A linear layer with orthogonal weights; biases start at 0."""
    return _drawn(nn.Linear(inputs, outputs, device="meta"), gain, generator)


def conv(inputs: int, outputs: int, *, gain: float, generator: torch.Generator | None) -> nn.Conv2d:
    """A 3x3 convolution that keeps the size of the grid, with orthogonal weights; biases start at 0."""
    return _drawn(nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, device="meta"), gain, generator)


def _drawn(layer: Any, gain: float, generator: torch.Generator | None) -> Any:
    """The layer with memory for its weights and random numbers in it, if there is a generator."""
    if generator is None:
        return layer
    layer.to_empty(device="cpu")
    nn.init.orthogonal_(layer.weight, gain, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer


def parameter(
    *size: int, generator: torch.Generator | None, draw: Callable[[Tensor, torch.Generator], object]
) -> nn.Parameter:
    """A parameter of a size whose numbers `draw` sets."""
    numbers = nn.Parameter(torch.empty(size, device="meta" if generator is None else "cpu"))
    if generator is not None:
        draw(numbers, generator)
    return numbers


class PooledValue(nn.Module):
    """The value of a position from pooled features: `tanh(last(relu(first(pooled))))`."""

    def __init__(self, inputs: int, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.first = linear(inputs, width, gain=2**0.5, generator=generator)
        self.last = linear(width, 1, gain=0.03, generator=generator)

    def forward(self, pooled: Tensor) -> Tensor:
        """`[B, inputs]` to `[B]` in [-1, 1]."""
        return torch.tanh(self.last(torch.relu(self.first(pooled)))).squeeze(-1)
