"""Seeds for every part of an arena, from its one seed and the name of the part."""

import zlib

import numpy as np


def derive_seed(seed: int, *part: str | int) -> int:
    """A seed for a part, independent of those of all other parts.

    Args:
      seed: That of the whole.
      *part: What the part is called.
    """
    entropy = [seed, *(zlib.crc32(name.encode()) if isinstance(name, str) else name for name in part)]
    # Bots take seeds below 2**63.
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]) >> 1
