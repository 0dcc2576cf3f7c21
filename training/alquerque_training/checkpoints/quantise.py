"""Rounds a network's weights to a coarse grid, so that they take few bits and are exact in every form.

What is measured and kept as a checkpoint is then the rounded network itself, and the exported file, which holds the
same whole numbers, plays as it does. The unit of a grid is a power of two, so that its multiples are exact in single
precision.
"""

from math import frexp, ldexp

import torch
from torch import Tensor, nn

FEWEST_BITS, MOST_BITS = 2, 16


@torch.no_grad()
def quantise(network: nn.Module, bits: int) -> None:
    """Rounds all weights in place; biases, and whatever else has a single dimension, stay as they are.

    A tensor has one grid for all its rows, since an error of a weight counts alike in each.

    Args:
      network: The network, in single precision.
      bits: Of a weight, its sign included, from 2 to 16. Up to 8 fit in a byte of an exported file.

    Raises:
      ValueError: If the number of bits is out of range.
    """
    if isinstance(bits, bool) or not isinstance(bits, int) or not FEWEST_BITS <= bits <= MOST_BITS:
        raise ValueError(f"bits is {bits!r}, expected a whole number from {FEWEST_BITS} to {MOST_BITS}")
    for parameter in network.parameters():
        if parameter.dim() > 1:
            parameter.copy_(_rounded(parameter, 2 ** (bits - 1) - 1))


def _rounded(weight: Tensor, most: int) -> Tensor:
    """The nearest multiples of the smallest power of two of which the largest weight is at most so many."""
    fraction, exponent = frexp(float(weight.abs().max()) / most)
    unit = ldexp(1.0, exponent if fraction > 0.5 else exponent - 1)
    return torch.round(weight / unit) * unit
