"""Codes of the values of positions, for the player to move, and the order of these values."""

# A win in `d` plies is WON + d, a loss in `d` plies is LOST - d.
UNKNOWN = 0
DRAWN = 1
WON = 2
LOST = -2
ENDLESS = 32767  # a win by endless play; a loss by it is -ENDLESS
OUTSIDE = -32768  # not a code: the position is not in the table

# Scores put codes in order: quick wins, slow wins, draws, slow losses, quick losses.
BEST_SCORE = 65536
NO_SCORE = -2 * BEST_SCORE
