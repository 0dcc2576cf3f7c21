"""States of training as flat dictionaries of arrays, with keys `part.name`."""

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load, save
from torch import Tensor

Arrays = Mapping[str, np.ndarray]


def group(state: Arrays, prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose keys begin with `prefix`, with the prefix removed."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}


def weight_arrays(weights: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Weights on any device as arrays of their own."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in weights.items()}


def weight_tensors(arrays: Arrays) -> dict[str, Tensor]:
    """The weights of a result of `weight_arrays`, which may be read-only; they are copied."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def pack_generator(generator: np.random.Generator | torch.Generator) -> np.ndarray:
    """The state of a generator: uint64 `[6]` of a PCG64 generator, bytes of one of torch."""
    if isinstance(generator, torch.Generator):
        return generator.get_state().numpy()
    state: Any = generator.bit_generator.state
    low = (1 << 64) - 1
    numbers = [state["state"][name] >> shift & low for name in ("state", "inc") for shift in (0, 64)]
    return np.array([*numbers, state["has_uint32"], state["uinteger"]], np.uint64)


def unpack_generator(generator: np.random.Generator | torch.Generator, packed: np.ndarray) -> None:
    """Sets a generator to a packed state."""
    if isinstance(generator, torch.Generator):
        generator.set_state(torch.from_numpy(np.array(packed)))
        return
    words = [int(word) for word in packed]
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64},
        "has_uint32": words[4],
        "uinteger": words[5],
    }


def pack(arrays: Arrays) -> bytes:
    """Arrays by name as bytes for the network: a safetensors file, compressed. Higher levels of zlib save little."""
    return zlib.compress(save({name: np.asarray(array, order="C") for name, array in arrays.items()}), level=1)


def unpack(packed: bytes) -> dict[str, np.ndarray]:
    """Restores the arrays of `pack`; they are writable."""
    return load(zlib.decompress(packed))
