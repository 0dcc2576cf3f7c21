"""The layout of a `TorchTable` and of the scratch vectors. Imported as TORCH.

A vector holds one integer for each of many matches. States are laid out as in `game/state_layout.py`, one vector for
each integer of a state.
"""

from ..game import table_layout as TABLE

# Layout of the codes. First, indices of scratch vectors and their numbers.
ORIGIN_SETS = 0  # the first origin set, see `torch_table.py`
NUM_ORIGIN_SETS = 1  # including the set of the pass, which comes last if the game has one
PASS_SET = 2  # or -1
SAME_LEAPS = 3  # whether later leaps of a chain follow the rules of the first
SECTIONS = 4
# Index in the maps, for each player, of what each action does.
STEPS = 5
# Index in the codes: for each set and player, the points from which the opening rule allows an action.
OPENS = 7
# Indices in the maps of the lists of the schedule.
SCHEDULE = 8
SCHEDULE_POINTS = 9
# Likewise, for each player, of the lists of the points taken and of the points straight ahead.
TAKEN = 10
BEYOND = 12
HEAD = 14
# A section of blocks, and its sets.
BEGIN, END, FIRST_SET, END_SET, SECTION_SIZE = range(5)
# A block: as in `table_layout.py`. Added are the steps from one direction's vector to the next, the number LANES of
# directions, and whether all directions read one vector and are equal for both players. Then follow, for each direction
# and player, distance and origins.
PARENTS, PARENTS_STEP, SEES, SEES_STEP, WORDS, LANES, IS_SHARED, ROWS = range(8)
DISTANCE, ORIGINS, ROW_SIZE = 0, 2, 4
BLOCK_SIZE = ROWS + ROW_SIZE * TABLE.LANES
# What an action does, in one integer.
TARGET_SHIFT, OVER_SHIFT, UNDO_SHIFT, PLACING_SHIFT, PASS_SHIFT = 7, 14, 21, 25, 26
POINT_MASK, OVER_MASK, UNDO_MASK = 127, 127, 15

# Scratch vectors that blocks read; ALLOWED has one for each relation. The vectors that blocks write follow.
OWN_MEN, OWN_KINGS, EMPTY, ENEMY, ALLOWED = 0, 1, 2, 3, 4
FIRST_BLOCK_VECTOR = ALLOWED + TABLE.LANES
