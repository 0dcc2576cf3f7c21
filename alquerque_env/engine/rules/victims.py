"""The enemies that a capture takes.

A leap takes the piece on one point, or those on several. A step takes the enemies that it flanks: each stands between
the piece that has stepped and another one of its side. A row of the step table has, for a direction, the distances from
the target of the step to the enemy and to the other piece, and the targets from which both are on the board.
"""

from ...game import table_layout as TABLE
from ..binding import inlined, kernel
from ..fields import Rules, Word
from ..words.integers import constant, of_player, shifted, where


@kernel
def pieces_taken(rules: Rules, points: Word, first: Word, theirs: Word) -> Word:
    """The pieces that a capture takes: those on its points, or those in a row from the first one on.

    The numbers of points ascend or descend along a row.
    """
    if rules.takes == TABLE.TAKES_ALL:
        return points & theirs
    gaps = points & ~theirs
    # If the points ascend, the row ends at the lowest gap: the bits below it remain, all if there is none.
    before = gaps - 1 & ~gaps
    # If they descend, it ends at the highest gap: each gap spreads to all bits below it, and those above remain.
    for distance in (1, 2, 4, 8, 16):
        gaps = gaps | gaps >> distance
    if rules.points > 32:
        gaps = gaps | gaps >> 32
    return points & where(points & 0 - points == first, before, ~gaps)


@inlined
def flanking_points(rules: Rules, player: Word, own: Word, theirs: Word) -> Word:
    """The points to which a piece may step to capture an enemy between it and one of the pieces `own`."""
    found = constant(own, 0)
    for row in range(rules.flanks, rules.flanks + TABLE.FLANK_SIZE * rules.num_flanks, TABLE.FLANK_SIZE):
        near, behind = rules[row + TABLE.NEAR], rules[row + TABLE.BEHIND]
        found = found | (shifted(theirs, near) & shifted(own, behind) & rules[row + TABLE.TARGETS])
    return found & of_player(player, rules.flankers)


@inlined
def pieces_flanked(rules: Rules, player: Word, target: Word, own: Word, theirs: Word) -> Word:
    """The enemies between a piece that has stepped to a point, a bitboard, and another piece of `own`."""
    found = constant(own, 0)
    for row in range(rules.flanks, rules.flanks + TABLE.FLANK_SIZE * rules.num_flanks, TABLE.FLANK_SIZE):
        origin = target & rules[row + TABLE.TARGETS]
        near, behind = -rules[row + TABLE.NEAR], -rules[row + TABLE.BEHIND]
        found = found | where(own & shifted(origin, behind) != 0, shifted(origin, near) & theirs, 0)
    return found & of_player(player, rules.flankers)
