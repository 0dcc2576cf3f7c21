"""The layout of a step table: the meaning of each of its integers. Imported as TABLE.

Sets of points are bitboards, as in `state_layout.py`.
"""

LANES = 8  # the directions at which a block of a table looks at once

# First the head, with sizes and the answers of the rules,
POINTS = 0
ALL_POINTS = 1
NUM_ACTIONS = 2
PASS_ACTION = 3  # -1 if the game has none
STATE_SIZE = 4
SCRATCH_SIZE = 5
RELATIONS = 6
COMPARES = 7  # whether a rule of landing or maximum chooses among captures
PROMOTION = 8  # promotion points of each player
CHAIN = 10
CAPTURE_OPTIONAL = 11
REMOVAL_AT_END = 12
MIDCHAIN_PROMOTION = 13
PROMOTION_IS_PROGRESS = 14
MAY_RETURN_TO_START = 15
LANDING_MUST_CONTINUE = 16
MOST_PIECES = 17
HAS_OPENING = 18
NO_MOVES = 19  # for each player, what happens if there is no legal action
THREEFOLD = 21
NO_PROGRESS_LIMIT = 22  # 0 if there is none
NO_PROGRESS_MAJORITY = 23
COUNTS_QUIET = 24
REMEMBERS = 25
REMEMBERS_POINTS = 26
UNDO_SCOPE = 27
JUMP_CLEARS = 28
LOSES_AT = 29  # for each player, the number of pieces with which the player has lost
MAN_STEP_IS_PROGRESS = 31
# then the index at which each list begins,
BLOCKS = 32
SECTIONS = 33
STEPS = 34
START = 35
MAN_STEPS = 36  # for each player and point the points to which a man may step by direction
RELATION_TARGET = 37  # for each relation and point the target of the step, or STATE.NO_POINT
FRAME = 38  # for each player and point of the mover's frame, the point of the board
PLANES = 39
NUM_PLANES = 40
TURN = 41  # for each player NOT_TURNED, HALF_TURN or TURNED
# then what only games with sides that differ or with a schedule ask: the places of their words in a state,
STAGE = 43
HAND = 44
EXTRAS = 45  # whether the game is one of these, so that others ask once
STAGES = 46  # plies of the schedule, 0 if there is none
SCHEDULE = 47  # list: for each of them and for what follows, twice what is done, plus 1 if the same player goes on
SCHEDULE_POINTS = 48  # list: likewise, where a piece is dropped or removed
GOAL = 49  # for each player the points that win when all of them are held; 0 if there are none
DECIDES_AT_ONCE = 51  # whether a chain ends with the match
CLOSED = 52  # the place of the word in a state
PARTS = 53  # list: parts of the board, each closed for good once it is empty
NUM_PARTS = 54
FLANKS = 55  # list: rows of targets with the same distances to the enemy's point and to the one behind it
NUM_FLANKS = 56
FLANKERS = 57  # for each player all points if its pieces capture by flanking, else none
# and what only games ask in which a capture takes several pieces, or chains are held to their way:
TAKES = 59  # whether a capture takes one piece, all on some points, or those in an unbroken row
TAKEN = 60  # list: for each player and action, the points of the pieces that it may take
VISITS_ONCE = 61  # whether a chain may return to no point where it has been
MUST_TURN = 62  # whether no two captures in a row go in one direction
AHEAD = 63  # the place of a word in the state
BEYOND = 64  # list: for each player and action, the point straight ahead of its target
HEAD = 65
# then the lists. A block keeps those origins of each lane that see a given point: index of the origins so far, of the
# bitboards to see, of its own words, of their tally, of the actions of each lane and point (0 if no step ends here), of
# the next block if no origin is kept; then for each lane the distance and the origins that have a point there.
PARENTS, SEES, WORDS, TALLY, ACTIONS, SKIP, DISTANCES = 0, 1, 2, 3, 4, 5, LANES
ORIGINS = DISTANCES + LANES
BLOCK_SIZE = ORIGINS + LANES
# A section of blocks, for each player: blocks of men from BEGIN, of kings from KINGS_BEGIN to END.
BEGIN, KINGS_BEGIN, END, SECTION_SIZE = 0, 1, 2, 3
FIRST_LEAP, NEXT_LEAP, STEP, DROP, REMOVAL, NUM_SECTIONS = 0, 1, 2, 3, 4, 5
# A step, for each player and action: points, the relation that leads back or -1, whether the opening rule allows it. A
# drop or a removal begins where it ends.
ORIGIN, TARGET, OVER, UNDO, OPENS, STEP_SIZE = 0, 1, 2, 3, 4, 5
# A row of the flanks: both distances, and the targets.
NEAR, BEHIND, TARGETS, FLANK_SIZE = 0, 1, 2, 3
# A plane of the observation: its kind, and its source in the state for each player to move.
PLANE_KIND, PLANE_SOURCE, PLANE_SIZE = 0, 1, 3
PLANE_WORD, PLANE_POINT, PLANE_CLOCK, PLANE_EARLIER, PLANE_PLAYER, PLANE_OPENING, PLANE_NUMBER = 0, 1, 2, 3, 4, 5, 6
# Those that a player who does not see the clock does not see.
PLANES_OF_CLOCK = (PLANE_CLOCK, PLANE_EARLIER)

CLOCK_DIGIT = 128  # observations are bytes
CLOCK_SHIFT = 7  # of the second digit of the clock

# Answers of the rules, as the table holds them.
COMPULSORY, OPTIONAL, SINGLE = 0, 1, 2
IF_TURN_ENDS_THERE, PROMOTE_AND_STOP, PROMOTE_AND_CONTINUE = 0, 1, 2
LOSS, DRAW, MAJORITY, PASS = 0, 1, 2, 3
NOT_TURNED, HALF_TURN, TURNED = 0, 1, 2
MOVES, DROPS, REMOVES = 0, 1, 2
TAKES_ONE, TAKES_ALL, TAKES_ROW = 0, 1, 2
PER_COIN, PER_PLAYER, NEVER_REVISIT = 0, 1, 2
