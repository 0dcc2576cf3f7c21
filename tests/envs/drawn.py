"""What tests of environments share: random legal actions, arrays of any backend, and names of cases."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.all_forms import assert_equal


def draw(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal action for each match, 0 where it has ended; an integer for the mask of one match."""
    return (mask * rng.random(mask.shape)).argmax(-1)


def leaves(value: Any) -> Iterator[np.ndarray]:
    """The arrays in dictionaries, lists and tuples; the memory of tensors."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list | tuple):
            yield from leaves(part)
        elif hasattr(part, "dtype"):
            yield np.asarray(part)


def assert_alike(one: Any, other: Any) -> None:
    """What two environments return is equal in every array, its shape and its type."""
    for found, expected in zip(leaves(one), leaves(other), strict=True):
        assert_equal(found, expected)


def as_numpy(value: Any) -> Any:
    """What an environment returns, its tensors as arrays."""
    if isinstance(value, dict):
        return {name: as_numpy(part) for name, part in value.items()}
    return tuple(map(as_numpy, value)) if isinstance(value, tuple) else np.asarray(value)


def step(env: Any, actions: np.ndarray) -> tuple[Any, ...]:
    """A step of an environment of any backend."""
    return as_numpy(env.step(env._games.array(actions)))


def named(value: object) -> str:
    """A case of options in the name of a test."""
    return "-".join(str(part) for part in value.values()) if isinstance(value, dict) else str(value)
