"""The constants of the generator SplitMix.

Words below 2**63 use the constants without the highest bit; `rules.mix` mixes them.

Source: Steele, Lea and Flood 2014.
"""

INCREMENT, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK_63 = (1 << 63) - 1
INCREMENT_63, FIRST_FACTOR_63, SECOND_FACTOR_63 = INCREMENT & MASK_63, FIRST_FACTOR & MASK_63, SECOND_FACTOR & MASK_63
