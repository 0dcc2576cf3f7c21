"""The layout of the scratch space in which the steps of one match are found. Imported as SCRATCH.

The blocks of a table work on LANES bitboards at once. These are the words that they see, equal in every lane except for
ALLOWED, the pieces that the relation of the lane allows to move. The blocks' own words follow.
"""

from .table_layout import LANES

OWN_MEN = 0
OWN_KINGS = LANES
EMPTY = 2 * LANES
ENEMY = 3 * LANES
ALLOWED = 4 * LANES
FIRST_BLOCK_WORD = 5 * LANES
