"""Weights that are rounded to a few bits, and how a checkpoint keeps them: a byte each."""

from collections.abc import Mapping
from math import frexp, ldexp

import numpy as np
import torch
from torch import Tensor, nn

from alquerque_env.bots.network.numpy_bot import UNIT


@torch.no_grad()
def quantise(network: nn.Module, bits: int) -> None:
    """Rounds all weights to a grid of 2 to 16 bits, sign included, in place, but for tensors of one dimension.

    All rows of a tensor share one grid, whose unit is a power of two, so that its multiples are exact in single
    precision. The rounded network is what is evaluated and saved; the exported file holds the same integers, a byte
    each with up to 8 bits.
    """
    for parameter in network.parameters():
        if parameter.dim() > 1:
            parameter.copy_(_rounded(parameter, 2 ** (bits - 1) - 1))


def _rounded(weight: Tensor, most: int) -> Tensor:
    unit = _unit(weight, most)
    return torch.round(weight / unit) * unit


def _unit(weight: Tensor, most: int) -> float:
    """The smallest power of two of which no weight has more than `most` multiples."""
    fraction, exponent = frexp(float(weight.abs().max()) / most)
    return ldexp(1.0, exponent if fraction > 0.5 else exponent - 1)


def pack_weights(weights: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """The tensors as they are kept in `weights.safetensors`.

    A float32 matrix whose entries are multiples of a power of two, at most 127 of them, is kept as the int8 multiples
    under its own name, and the power of two as `NAME.unit`. The weights that `unpack_weights` returns are equal. Other
    tensors are kept in single precision.
    """
    packed = {name: weight.numpy() for name, weight in weights.items()}
    for name, weight in weights.items():
        if weight.dtype == torch.float32 and weight.dim() > 1 and weight.any() and weight.isfinite().all():
            unit = _unit(weight, 127)
            multiples = weight / unit
            if unit >= 2.0**-126 and torch.equal(multiples, multiples.round()):
                packed |= {name: multiples.to(torch.int8).numpy(), f"{name}{UNIT}": np.array(unit, np.float32)}
    return packed
