"""The generator SplitMix: its constants, and how it mixes NumPy arrays.

Vectors use all 64 bits. Words below 2**63 use the constants without the highest bit; `rules.mix` mixes them.

Source: Steele, Lea and Flood 2014.
"""

import numpy as np

INCREMENT, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK_63 = (1 << 63) - 1
INCREMENT_63, FIRST_FACTOR_63, SECOND_FACTOR_63 = INCREMENT & MASK_63, FIRST_FACTOR & MASK_63, SECOND_FACTOR & MASK_63


_ALL = np.uint64(2 * MASK_63 + 1)


def mixed(words: np.ndarray, mask: np.uint64 = _ALL) -> np.ndarray:
    """Mixes the bits of `mask` in each word of a uint64 array."""
    for shift, factor in ((30, FIRST_FACTOR), (27, SECOND_FACTOR)):
        words = (words ^ words >> np.uint64(shift)) * np.uint64(factor) & mask
    return words ^ words >> np.uint64(31)
