"""The layout of states and tables: the meaning of each index of the integer arrays that kernels read.

Sets of points are bitboards: bit `p` stands for point `p`. The exported player contains this file.
"""

# Layout of a state. MEN and KINGS are a bitboard for each player.
MEN = 0
KINGS = 2
PLAYER = 4
CHAIN = 5  # the point of a piece in the middle of a chain, or NO_POINT
QUIET = 6  # turns without progress
CAPTURED = 7  # captured in this chain and not yet removed
BARRED = 8  # vacant points on which this chain may not land
MEMORY = 9  # in games with memory: for each of LANES relations the pieces that may not step along it
MEMORY_POINTS = 17  # if memory is kept point by point: the remembered points of the piece on each point

NO_POINT = -1

# Blocks of a table work on LANES bitboards at once. These are the scratch words that they see, equal in every lane
# except for ALLOWED, the pieces that the relation of the lane allows to move. The blocks' own words follow.
LANES = 8
OWN_MEN = 0
OWN_KINGS = LANES
EMPTY = 2 * LANES
ENEMY = 3 * LANES
ALLOWED = 4 * LANES
FIRST_BLOCK_WORD = 5 * LANES

# Layout of a table: first the head, with sizes and the answers of the rules,
T_POINTS = 0
T_ALL_POINTS = 1
T_NUM_ACTIONS = 2
T_PASS_ACTION = 3  # -1 if the game has none
T_STATE_SIZE = 4
T_SCRATCH_SIZE = 5
T_RELATIONS = 6
T_COMPARES = 7  # whether a rule of landing or maximum chooses among captures
T_PROMOTION = 8  # promotion points of each player
T_CHAIN = 10
T_CAPTURE_OPTIONAL = 11
T_REMOVAL_AT_END = 12
T_MIDCHAIN_PROMOTION = 13
T_PROMOTION_IS_PROGRESS = 14
T_MAY_RETURN_TO_START = 15
T_LANDING_MUST_CONTINUE = 16
T_MOST_PIECES = 17
T_HAS_OPENING = 18
T_NO_MOVES = 19
T_THREEFOLD = 20
T_NO_PROGRESS_LIMIT = 21  # 0 if there is none
T_NO_PROGRESS_MAJORITY = 22
T_COUNTS_QUIET = 23
T_REMEMBERS = 24
T_REMEMBERS_POINTS = 25
T_UNDO_SCOPE = 26
T_JUMP_CLEARS = 27
T_LOSES_AT = 28  # for each player, the number of pieces with which the player has lost
T_MAN_STEP_IS_PROGRESS = 30
# then the index at which each list begins,
T_BLOCKS = 31
T_SECTIONS = 32
T_STEPS = 33
T_START = 34
T_MAN_STEPS = 35  # for each player and point the points to which a man may step by direction
T_RELATION_TARGET = 36  # for each relation and point the target of the step, or NO_POINT
T_FRAME = 37  # for each player and point of the mover's frame, the point of the board
T_PLANES = 38
T_NUM_PLANES = 39
T_TURN = 40  # for each player NOT_TURNED, HALF_TURN or TURNED
TABLE_HEAD = 42
# then the lists. A block keeps those origins of each lane that see a given point: index of the origins so far, of the
# bitboards to see, of its own words, of their tally, of the actions of each lane and point (0 if no step ends here), of
# the next block if no origin is kept; then for each lane the distance and the origins that have a point there.
PARENTS, SEES, WORDS, TALLY, ACTIONS, SKIP, DISTANCES = 0, 1, 2, 3, 4, 5, LANES
ORIGINS = DISTANCES + LANES
BLOCK_SIZE = ORIGINS + LANES
# A section of blocks, for each player: blocks of men from BEGIN, of kings from KINGS_BEGIN to END.
BEGIN, KINGS_BEGIN, END, SECTION_SIZE = 0, 1, 2, 3
FIRST_LEAP, NEXT_LEAP, STEP, SECTIONS = 0, 1, 2, 3
# A step, for each player and action: points, the relation that leads back or -1, whether the opening rule allows it.
ORIGIN, TARGET, OVER, UNDO, OPENS, STEP_SIZE = 0, 1, 2, 3, 4, 5
# A plane of the observation: its kind, and its source in the state for each player to move.
PLANE_KIND, PLANE_SOURCE, PLANE_SIZE = 0, 1, 3
PLANE_WORD, PLANE_POINT, PLANE_CLOCK, PLANE_EARLIER, PLANE_PLAYER, PLANE_OPENING = 0, 1, 2, 3, 4, 5

# Answers of the rules, as the table holds them.
COMPULSORY, OPTIONAL, SINGLE = 0, 1, 2
IF_TURN_ENDS_THERE, PROMOTE_AND_STOP, PROMOTE_AND_CONTINUE = 0, 1, 2
LOSS, DRAW, MAJORITY, PASS = 0, 1, 2, 3
NOT_TURNED, HALF_TURN, TURNED = 0, 1, 2
PER_COIN, PER_PLAYER, NEVER_REVISIT = 0, 1, 2

# Outcome of a match: `4 * reason + winner`; the winner NOBODY is a draw.
ONGOING = 0
CAPTURED_ALL, BLOCKED, REPETITION, NO_PROGRESS, BY_MAJORITY = 1, 2, 3, 4, 5
NOBODY = 2
NO_WINNER = -1

OCCURRENCES_TO_DRAW = 3
CLOCK_DIGIT = 128  # observations are bytes
CLOCK_SHIFT = 7  # of the second digit of the clock

DROPPED = -1
