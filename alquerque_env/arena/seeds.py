"""Derives the seeds of all parts of an arena from its one seed."""

import zlib

import numpy as np


def derive_seed(seed: int, *part: str | int) -> int:
    """Returns a seed for a named part of the whole, independent of the seeds of all other parts."""
    entropy = [seed, *(zlib.crc32(name.encode()) if isinstance(name, str) else name for name in part)]
    # Seeds of bots are below 2**63.
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]) >> 1
