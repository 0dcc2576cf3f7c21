"""What stands at which place in the sequences of integers that number the positions of a table, and what values mean.

A position is numbered by a slice, which is a number of men and kings for each player, and within it by digits: the
orbit of the mover's points under the symmetries of the game, the opponent's points among those left, which of them are
kings, and what the pieces remember. The board is seen from the mover's side where the game is the same from both.
"""

# Codes of values, for the player to move. A win in `d` plies is WON + d, a loss LOST - d.
UNKNOWN = 0
DRAWN = 1
WON = 2
LOST = -2
ENDLESS = 32767  # won by playing without end; lost by it is -ENDLESS
OUTSIDE = -32768  # no code: the table does not reach there

# Worths put values in order: a quick win is the best, a slow loss better than a quick one.
BEST_WORTH = 65536
NO_WORTH = -2 * BEST_WORTH

# Layout of an index: first its facts,
X_POINTS = 0
X_ALL_POINTS = 1
X_BYTES = 2  # lookups that permute a word
X_SYMMETRIES = 3
X_IS_SYMMETRIC = 4  # whether both players see the same game
X_SIDES = 5  # one more than the most pieces of a kind that a side may have
X_MEMORY = 6  # how memories are numbered,
X_RADIX = 7  # and how many of them a piece may have at most
# then where its lists begin,
X_BINOMIALS = 8
X_VIEWS = 9  # for each way to see the board and each byte of a word what it becomes
X_PLACES = 10  # for each way to see the board what each point becomes
X_SLICES = 11  # for each slice key where its row stands, or -1
X_MEMORIES = 12  # for each side and point where its memories stand: their number, then each as a word of points
X_UNSTEPS = 13  # for each player and point where the quiet steps that end there stand, after their number
X_ORBITS = 14  # for each number of pieces where the entries of all sets of points stand,
X_REPRESENTATIVES = 14 + 64  # and where the sets that represent the orbits stand
INDEX_HEAD = 14 + 128

BYTE = 256

# An entry of a set of points: the number of its orbit, whether a symmetry other than the identity leaves it as it is,
# and the view in which it looks like the one that represents the orbit.
VIEW_MASK = (1 << 7) - 1
IS_FIXED = 1 << 7
ORBIT_AT = 8

# How memories are numbered.
NO_MEMORY, OF_EACH, OF_ONE = 0, 1, 2

# A row of a slice.
PLAYER, OWN_MEN, OWN_KINGS, ENEMY_MEN, ENEMY_KINGS, BASE, SIZE = 0, 1, 2, 3, 4, 5, 6
ENEMIES, OWN_CROWNS, ENEMY_CROWNS, OWN_MEMORIES, ENEMY_MEMORIES, ROW_SIZE = 7, 8, 9, 10, 11, 12

# A quiet step taken back: where the piece came from, what must be vacant on its way, whether it is a king.
FROM, WAY, IS_KING, UNSTEP_SIZE = 0, 1, 2, 3
