"""The layout of a state: the meaning of each of its integers. Imported as STATE.

Sets of points are bitboards: bit `p` stands for point `p`.
"""

# MEN and KINGS are a bitboard for each player.
MEN = 0
KINGS = 2
PLAYER = 4
CHAIN = 5  # the point of a piece in the middle of a chain, or NO_POINT
QUIET = 6  # turns without progress
CAPTURED = 7  # captured in this chain and not yet removed
BARRED = 8  # vacant points on which this chain may not land
MEMORY = (
    9  # in games with memory: for each relation the pieces that may not step along it; room for TABLE.LANES of them
)
MEMORY_POINTS = 17  # if memory is kept point by point: the remembered points of the piece on each point
# Behind these, in games with a schedule, where TABLE.STAGE and TABLE.HAND say: the number of plies of the schedule that
# have been played, and for each player the pieces that are still to be dropped. Behind these, in games in which the
# board shrinks, where TABLE.CLOSED says: the points that are closed for good. Behind these, in games in which chains
# must turn, where TABLE.AHEAD says: the point straight ahead, to which this chain may not go on.

NO_POINT = -1
