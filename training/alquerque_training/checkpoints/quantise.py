"""Quantisation: rounds the weights of a network to a grid, so that they take few bits.

The rounded network is what is evaluated and saved; the exported file holds the same integers and plays the same. The
unit of a grid is a power of two, so that its multiples are exact in single precision.
"""

from math import frexp, ldexp

import torch
from torch import Tensor, nn

from alquerque_env.game.array_check import python_number

FEWEST_BITS, MOST_BITS = 2, 16


@torch.no_grad()
def quantise(network: nn.Module, bits: int) -> None:
    """Rounds all weights in place. Biases and other tensors of one dimension stay unchanged.

    All rows of a tensor share one grid.

    Args:
      network: The network, in single precision.
      bits: Bits of a weight, sign included, from 2 to 16. Weights of up to 8 bits take a byte in an exported file.

    Raises:
      ValueError: If the number of bits is out of range.
    """
    bits = python_number(bits)
    if type(bits) is not int or not FEWEST_BITS <= bits <= MOST_BITS:
        raise ValueError(f"bits is {bits!r}, expected a whole number from {FEWEST_BITS} to {MOST_BITS}")
    for parameter in network.parameters():
        if parameter.dim() > 1:
            parameter.copy_(_rounded(parameter, 2 ** (bits - 1) - 1))


def _rounded(weight: Tensor, most: int) -> Tensor:
    """Rounds to multiples of the smallest power of two for which no multiple exceeds `most`."""
    fraction, exponent = frexp(float(weight.abs().max()) / most)
    unit = ldexp(1.0, exponent if fraction > 0.5 else exponent - 1)
    return torch.round(weight / unit) * unit
