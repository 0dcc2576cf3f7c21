"""Reads `weights.safetensors` with NumPy alone.

The safetensors package would do it too, but a base install should play without a compiled package more, and the form
is simple: the length of a header as 8 bytes, the header as JSON with type, shape and place of each tensor, the numbers.
Nothing in a file is run, and nothing is allocated but what the file itself has room for.

Source: https://github.com/huggingface/safetensors, "Format".
"""

import json
from math import prod
from typing import Any

import numpy as np

LENGTH_BYTES = 8
LONGEST_HEADER = 1_000_000
TYPE, BYTES = "F32", 4
MOST_DIMENSIONS = 8
NOTES = "__metadata__"


def read_tensors(data: bytes) -> dict[str, np.ndarray]:
    """The tensors of a file, by name.

    Args:
      data: The file; all tensors are in single precision.

    Raises:
      ValueError: If that is not such a file.
    """
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    start = LENGTH_BYTES + length
    if len(data) < LENGTH_BYTES or length > LONGEST_HEADER or start > len(data):
        raise ValueError(f"no header of {length} bytes in a file of {len(data)}")
    header = _parse_header(data[LENGTH_BYTES:start])
    numbers = memoryview(data)[start:]
    end, tensors = 0, {}
    for name, shape, first, last in sorted(header, key=lambda entry: entry[2:]):
        if first != end or last - first != BYTES * prod(shape) or last > len(numbers):
            raise ValueError(f"{name} of shape {shape} cannot lie in bytes {first} to {last}")
        tensors[name] = np.frombuffer(numbers[first:last], "<f4").reshape(shape)
        end = last
    if end != len(numbers):
        raise ValueError(f"{len(numbers) - end} bytes belong to no tensor")
    return tensors


def _parse_header(text: bytes) -> list[tuple[str, tuple[int, ...], int, int]]:
    """Name, shape, first byte and the one after the last of each tensor."""
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise ValueError("the header is not a JSON object")
    return [(name, *_parse_entry(name, entry)) for name, entry in header.items() if name != NOTES]


def _parse_entry(name: str, entry: Any) -> tuple[tuple[int, ...], int, int]:
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [first, last]}:
            if dtype != TYPE:
                raise ValueError(f"{name} is of type {dtype}, expected {TYPE}")
            if len(shape) <= MOST_DIMENSIONS and all(type(n) is int and n >= 0 for n in (*shape, first, last)):
                return tuple(shape), first, last
    raise ValueError(f"{name} has no type, shape and place that can be read")
