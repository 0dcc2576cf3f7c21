"""Layers with random weights from a given generator, so that the same seed gives the same network."""

import torch
from torch import Tensor, nn


class Linear(nn.Linear):
    """A linear layer with orthogonal weights; biases start at 0."""

    def __init__(self, inputs: int, outputs: int, *, gain: float, generator: torch.Generator) -> None:
        self._gain, self._generator = gain, generator
        super().__init__(inputs, outputs)
        del self._generator

    def reset_parameters(self) -> None:
        """Draws the weights."""
        nn.init.orthogonal_(self.weight, self._gain, generator=self._generator)
        nn.init.zeros_(self.bias)


class Conv(nn.Conv2d):
    """A 3x3 convolution that keeps the size of the grid, with orthogonal weights; biases start at 0."""

    def __init__(self, inputs: int, outputs: int, *, gain: float, generator: torch.Generator) -> None:
        self._gain, self._generator = gain, generator
        super().__init__(inputs, outputs, kernel_size=3, padding=1)
        del self._generator

    def reset_parameters(self) -> None:
        """Draws the weights."""
        nn.init.orthogonal_(self.weight, self._gain, generator=self._generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)


class PooledValue(nn.Module):
    """The value of a position from pooled features: `tanh(last(relu(first(pooled))))`."""

    def __init__(self, inputs: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.first = Linear(inputs, width, gain=2**0.5, generator=generator)
        self.last = Linear(width, 1, gain=0.03, generator=generator)

    def forward(self, pooled: Tensor) -> Tensor:
        """`[B, inputs]` to `[B]` in [-1, 1]."""
        return torch.tanh(self.last(torch.relu(self.first(pooled)))).squeeze(-1)
