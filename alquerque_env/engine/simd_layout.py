"""The layout of what columns read: what stands at which place in the codes of a `ColumnTable`, its maps and scratch.

States are laid out as `../layout.py` says, a column for each of their words.
"""

from ..game import table_layout as e

WIDTH = 512  # bits of a vector

# Layout of the codes: first how the columns of scratch words are used,
C_PLANES = 0  # where the planes stand
C_NUM_PLANES = 1  # with that of the pass, the last one, where the game has it
C_PASS_PLANE = 2  # or -1
C_TALLIES = 3  # where a tally for each plane stands, behind a column of zeros
C_SAME_LEAPS = 4  # whether a chain goes on as it begins
C_SECTIONS = 5
# then where in the maps, for each player, the actions of planes and points stand and what each action does,
C_MAPS = 6
C_STEPS = 8
# for each plane and player, the points from which the opening rule allows its actions,
C_OPENS = 10
# and how the planes become the legal actions as bits: where the words of these stand and their number, and where the
# sources and their moves of bits stand.
C_MARKED = 11
C_NUM_MARKED = 12
C_SOURCES = 13
C_MOVES = 14
CODES_HEAD = 15
MARKED = 32  # bits to a word
# A source: for each player to move the column that it is, whether that of the second player is turned first, and where
# its moves end; those of the first source begin at C_MOVES. The moves to one word: which word, and where they end; then
# for each how far, and which bits they become.
SOURCE, IS_TURNED, MOVES_END, SOURCE_SIZE = 0, 2, 3, 4
TO_WORD, TO_WORD_END, TO_WORD_SIZE = range(3)
DISTANCE_TO, BITS_TO, MOVE_SIZE = range(3)
# A section of blocks: those of men from BEGIN, those of kings from KINGS_BEGIN to END, and likewise its planes.
BEGIN, KINGS_BEGIN, END, FIRST_PLANE, KINGS_PLANE, END_PLANE, SECTION_SIZE = range(7)
# A block: as in `layout.py`, with the distance from one lane to the next where each has a column of its own, the number
# of lanes, whether all of them look at one column and do the same for both players, and the planes of the blocks that
# are skipped with it; then for each lane and player distance and origins.
PARENTS, PARENTS_STEP, SEES, SEES_STEP, WORDS, IS_LAST, SKIP, LANES, IS_SHARED, SKIPPED, END_SKIPPED, ROWS = range(12)
DISTANCE, ORIGINS, ROW_SIZE = 0, 2, 4
BLOCK_SIZE = ROWS + ROW_SIZE * e.LANES
# What an action does, in one word.
TARGET_SHIFT, OVER_SHIFT, UNDO_SHIFT, PASS_SHIFT = 6, 12, 19, 23
POINT_MASK, OVER_MASK, UNDO_MASK = 63, 127, 15
# The clock is shown in digits, which are powers of two.
CLOCK_SHIFT = e.CLOCK_DIGIT.bit_length() - 1

# Scratch columns that blocks look at; ALLOWED has one for each relation. The blocks' own columns follow.
OWN_MEN, OWN_KINGS, EMPTY, ENEMY, ALLOWED = 0, 1, 2, 3, 4
FIRST_BLOCK_COLUMN = ALLOWED + e.LANES
