"""The layout of a `SimdTable` and of the scratch vectors. Imported as SIMD.

A vector holds one integer for each of several matches, one match a lane. States are laid out as in
`game/state_layout.py`, one vector for each integer of a state.
"""

from ..game import table_layout as TABLE

WIDTH = 512  # bits of a vector

# Layout of the codes. First, indices of scratch vectors and their numbers.
ORIGIN_SETS = 0  # the first origin set, see `simd_table.py`
NUM_ORIGIN_SETS = 1  # including the set of the pass, which comes last if the game has one
PASS_SET = 2  # or -1
TALLIES = 3  # cumulative counts of the actions of the sets, after a vector of zeros
SAME_LEAPS = 4  # whether later leaps of a chain follow the rules of the first
SECTIONS = 5
# Indices in the maps, for each player: the actions of sets and points, and what each action does.
MAPS = 6
STEPS = 8
# Index in the codes: for each set and player, the points from which the opening rule allows an action.
OPENS = 10
# How sets become action bits: the scratch vectors of the bits and their number, and the sources and their shifts.
MASK_BITS = 11
NUM_MASK_WORDS = 12
SOURCES = 13
SHIFTS = 14
# Indices in the maps of the lists of the schedule.
SCHEDULE = 15
SCHEDULE_POINTS = 16
# Likewise, for each player, of the lists of the points taken and of the points straight ahead.
TAKEN = 17
BEYOND = 19
HEAD = 21
BITS = 32  # actions to an integer of the action bits
# A source: its scratch vector for each player to move, whether the second player's is reversed first, and the end of
# its shifts; the shifts of the first source begin at SHIFTS. They are grouped by the integer they write to: which one,
# and the end of the group; then for each shift the distance and the bits to write.
SOURCE, IS_TURNED, SHIFTS_END, SOURCE_SIZE = 0, 2, 3, 4
TO_WORD, TO_WORD_END, TO_WORD_SIZE = range(3)
DISTANCE_TO, BITS_TO, SHIFT_SIZE = range(3)
# A section of blocks: for men from BEGIN on, for kings from KINGS_BEGIN to END. Its sets are split likewise.
BEGIN, KINGS_BEGIN, END, FIRST_SET, KINGS_SET, END_SET, SECTION_SIZE = range(7)
# A block: as in `table_layout.py`. Added are the steps from one direction's vector to the next, the number LANES of
# directions, whether all directions read one vector and are equal for both players, and the sets of the blocks that
# are skipped with it. Then follow, for each direction and player, distance and origins.
PARENTS, PARENTS_STEP, SEES, SEES_STEP, WORDS, IS_LAST, SKIP, LANES, IS_SHARED, SKIPPED, END_SKIPPED, ROWS = range(12)
DISTANCE, ORIGINS, ROW_SIZE = 0, 2, 4
BLOCK_SIZE = ROWS + ROW_SIZE * TABLE.LANES
# What an action does, in one integer.
TARGET_SHIFT, OVER_SHIFT, UNDO_SHIFT, PLACING_SHIFT, PASS_SHIFT = 7, 14, 21, 25, 26
POINT_MASK, OVER_MASK, UNDO_MASK = 127, 127, 15

# Scratch vectors that blocks read; ALLOWED has one for each relation. The vectors that blocks write follow.
OWN_MEN, OWN_KINGS, EMPTY, ENEMY, ALLOWED = 0, 1, 2, 3, 4
FIRST_BLOCK_VECTOR = ALLOWED + TABLE.LANES
