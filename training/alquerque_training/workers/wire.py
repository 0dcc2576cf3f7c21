"""Arrays as bytes for the network: a safetensors file, compressed."""

import zlib

import numpy as np
from safetensors.numpy import load, save

from alquerque_training.experience.state_arrays import Arrays

LEVEL = 1  # Level of zlib. Higher ones take much longer and save little.


def pack(arrays: Arrays) -> bytes:
    """Arrays by name as bytes."""
    return zlib.compress(save({name: np.asarray(array, order="C") for name, array in arrays.items()}), LEVEL)


def unpack(packed: bytes) -> dict[str, np.ndarray]:
    """Restores the arrays of `pack`; they are writable."""
    return load(zlib.decompress(packed))
