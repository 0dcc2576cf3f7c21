"""Weights in a byte each, as `weights.safetensors` holds those of a quantised network.

A matrix whose entries are multiples of a power of two, at most 127 of them, is kept as the int8 multiples under its own
name, and the power of two as `NAME.unit`. The weights that come back are equal. Other tensors are kept in
single precision.
"""

from collections.abc import Mapping
from math import frexp, ldexp

import numpy as np

_MOST = 127
_UNIT = ".unit"


def pack_weights(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The tensors as they are kept: a float32 matrix that fits becomes int8 multiples and their unit, a number."""
    packed: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        unit = _unit(weight)
        if unit is None:
            packed[name] = weight
        else:
            packed[name] = (weight / unit).astype(np.int8)
            packed[f"{name}{_UNIT}"] = np.array(unit, np.float32)
    return packed


def unpack_weights(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of tensors that were kept; those that `pack_weights` does not make are passed on as they are."""
    weights = dict(tensors)
    for name, tensor in tensors.items():
        unit = tensors.get(f"{name}{_UNIT}")
        if tensor.dtype == np.int8 and unit is not None and unit.dtype == np.float32 and unit.shape == ():
            weights[name] = tensor.astype(np.float32) * unit
            del weights[f"{name}{_UNIT}"]
    return weights


def _unit(weight: np.ndarray) -> float | None:
    """The power of two of which all entries of a matrix are multiples of at most 127; None if there is none."""
    greatest = float(np.abs(weight).max()) if weight.ndim > 1 and weight.size else 0.0
    if weight.dtype != np.float32 or greatest == 0 or not np.isfinite(greatest):
        return None
    fraction, exponent = frexp(greatest / _MOST)
    unit = ldexp(1.0, exponent if fraction > 0.5 else exponent - 1)
    multiples = weight / np.float32(unit)
    return unit if unit >= 2.0**-126 and np.array_equal(multiples, np.round(multiples)) else None
