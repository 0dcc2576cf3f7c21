"""The layout of states and tables: what stands at which place in the sequences of integers that the kernels read.

Sets of points are words: bit `p` stands for point `p`. The exported player carries this file as it is.
"""

# Layout of a state. MEN and KINGS hold a word for each player.
MEN = 0
KINGS = 2
PLAYER = 4
CHAIN = 5  # the point of a piece in the middle of a chain, or NO_POINT
QUIET = 6  # turns without progress
CAPTURED = 7  # captured in this chain and not yet removed
BARRED = 8  # vacant points on which this chain may not land
MEMORY = 9  # where the game has memory: for each of LANES relations the pieces that it holds back,
MEMORY_POINTS = 17  # and where it can bite later than at once, the remembered points of the piece on each point

NO_POINT = -1

# Blocks of a table work on LANES words at once. Scratch words that they look at, the same in every lane but for
# ALLOWED, which has the pieces that a relation does not hold back; the blocks' own words follow.
LANES = 8
OWN_MEN = 0
OWN_KINGS = LANES
EMPTY = 2 * LANES
ENEMY = 3 * LANES
ALLOWED = 4 * LANES
FIRST_BLOCK_WORD = 5 * LANES

# Layout of a table: first its facts and the answers of the rules,
T_POINTS = 0
T_ALL_POINTS = 1
T_NUM_ACTIONS = 2
T_PASS_ACTION = 3  # -1 where the game has none
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
T_NO_PROGRESS_LIMIT = 21  # 0 where there is none
T_NO_PROGRESS_MAJORITY = 22
T_COUNTS_QUIET = 23
T_REMEMBERS = 24
T_REMEMBERS_POINTS = 25
T_UNDO_SCOPE = 26
T_JUMP_CLEARS = 27
# then where its lists begin,
T_BLOCKS = 28
T_SECTIONS = 29
T_STEPS = 30
T_START = 31
T_MAN_STEPS = 32  # for each player and point the points to which a man may step by direction
T_RELATION_TARGET = 33  # for each relation and point the other point, or NO_POINT
T_FRAME = 34  # for each player and point of the mover's frame the point of the board
T_PLANES = 35
T_NUM_PLANES = 36
T_TURN = 37  # how the board is turned for each player
TABLE_HEAD = 39
# then the lists. A block narrows words of origins, one in each lane, to those that see what they must so many points
# away: the words to narrow, the words to look at, its own words and a word for their tally, where the actions of each
# lane and point stand if steps end here, else 0, the next block if no origin is left; then for each lane the distance
# and the origins that have a point there.
PARENTS, SEES, WORDS, TALLY, ACTIONS, SKIP, DISTANCES = 0, 1, 2, 3, 4, 5, LANES
ORIGINS = DISTANCES + LANES
BLOCK_SIZE = ORIGINS + LANES
# A section of blocks, for each player: those of men from BEGIN, those of kings from KINGS_BEGIN to END.
BEGIN, KINGS_BEGIN, END, SECTION_SIZE = 0, 1, 2, 3
FIRST_LEAP, NEXT_LEAP, STEP, SECTIONS = 0, 1, 2, 3
# A step, for each player and action: points, the relation that would lead back or -1, whether the opening allows it.
ORIGIN, TARGET, OVER, UNDO, OPENS, STEP_SIZE = 0, 1, 2, 3, 4, 5
# A plane of the observation: what it shows and where that stands in the state, for each player to move.
PLANE_KIND, PLANE_SOURCE, PLANE_SIZE = 0, 1, 3
PLANE_WORD, PLANE_POINT, PLANE_CLOCK, PLANE_EARLIER, PLANE_PLAYER, PLANE_OPENING = 0, 1, 2, 3, 4, 5

# Answers of the rules, as the table holds them.
COMPULSORY, OPTIONAL, SINGLE = 0, 1, 2
IF_TURN_ENDS_THERE, PROMOTE_AND_STOP, PROMOTE_AND_CONTINUE = 0, 1, 2
LOSS, DRAW, MAJORITY, PASS = 0, 1, 2, 3
NOT_TURNED, HALF_TURN, TURNED = 0, 1, 2
PER_COIN, PER_PLAYER, NEVER_REVISIT = 0, 1, 2

# How a match stands: `4 * reason + winner`, where winner NOBODY means a draw.
ONGOING = 0
CAPTURED_ALL, BLOCKED, REPETITION, NO_PROGRESS, BY_MAJORITY = 1, 2, 3, 4, 5
NOBODY = 2

OCCURRENCES_TO_DRAW = 3
CLOCK_DIGIT = 128  # observations are bytes

DROPPED = -1
