"""The layout of the integers that number the positions of an endgame table. Imported as INDEX.

A position is numbered by its slice, which is the number of men and kings of each player, and within the slice by
digits: the orbit of the mover's points under the symmetries of the game, the opponent's points among those left, which
pieces are kings, and the no-undo memory of the pieces. The board is seen from the mover's side where the game looks the
same from both sides.
"""

# First single numbers,
POINTS = 0
ALL_POINTS = 1
BYTES = 2  # lookups that permute a bitboard
SYMMETRIES = 3
IS_SYMMETRIC = 4  # whether the game looks the same from both sides
SIDES = 5  # 1 + the most pieces of a kind that a side may have
MEMORY = 6  # how memories are numbered,
RADIX = 7  # and the most memories of a piece
# then where lists begin,
BINOMIALS = 8
VIEWS = 9  # for each view of the board, byte of a bitboard and value of the byte: the permuted bitboard
PLACES = 10  # for each view of the board and point: the permuted point
SLICES = 11  # for each slice key: where its row begins, or -1
MEMORIES = 12  # for each side and point: where its memories begin: their number, then each as a bitboard
RETRO_STEPS = 13  # for each player and point: where the quiet steps that end there begin, after their number
ORBITS = 14  # for each number of pieces: where the entries of all sets of points begin,
REPRESENTATIVES = 14 + 64  # and where the sets that represent the orbits begin
HEAD = 14 + 128

BYTE = 256

# Entry of a set of points: the number of its orbit, whether a symmetry other than the identity maps it to itself, and
# the view in which it equals the representative of its orbit.
VIEW_MASK = (1 << 7) - 1
IS_FIXED = 1 << 7
ORBIT_AT = 8

# How memories are numbered: there are none, each piece has its own, or one piece of a player has one.
NO_MEMORY, OF_EACH, OF_ONE = 0, 1, 2

# Row of a slice.
PLAYER, OWN_MEN, OWN_KINGS, ENEMY_MEN, ENEMY_KINGS, BASE, SIZE = 0, 1, 2, 3, 4, 5, 6
ENEMY_SETS, OWN_KING_SETS, ENEMY_KING_SETS, OWN_MEMORIES, ENEMY_MEMORIES, ROW_SIZE = 7, 8, 9, 10, 11, 12

# Quiet step taken back: the point that the piece came from, the points that must be vacant, whether it is a king.
FROM, WAY, IS_KING, RETRO_STEP_SIZE = 0, 1, 2, 3
