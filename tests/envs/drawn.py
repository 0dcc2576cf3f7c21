"""What tests of environments share: random legal actions, and names of cases."""

import numpy as np


def draw(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A legal action for each match, 0 where it has ended; an integer for the mask of one match."""
    return (mask * rng.random(mask.shape)).argmax(-1)


def named(value: object) -> str:
    """A case of options in the name of a test."""
    return "-".join(str(part) for part in value.values()) if isinstance(value, dict) else str(value)
