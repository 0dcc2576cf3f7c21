"""No-undo memory: which simple steps a piece may not take because they would undo an earlier one.

A state holds, for each relation (a direction of the board), the pieces that may not step along it. Under some rules it
also holds the points that each piece remembers; these are for one match.

Arguments are as in `rules/`.
"""

from ...game import table_layout as TABLE
from ..binding import inlined, kernel
from ..compiler import lowest
from ..fields import Rules, State, Word
from ..moves import undo_of
from ..words.integers import where


@inlined
def remember(
    rules: Rules, state: State, player: Word, step: Word, origin: Word, target: Word, men: Word, removed: Word
) -> None:
    """Updates the memory after a step or a capture. In matches with neither, `origin` and `target` are empty.

    Args:
      step: The action, as `read_step` gives it.
      origin, target: Bitboards of the points where it begins and ends.
      men: The men of the player after it.
      removed: Pieces that it removed.
    """
    if rules.remembers_points:
        remember_points(rules, state, player, step, origin, men, removed)
        return
    forgotten = origin | removed
    if rules.undo_scope == TABLE.PER_PLAYER:
        forgotten = where(origin == 0, 0, forgotten | men)
    undo = undo_of(rules, step)
    for relation in range(rules.relations):
        kept = state.memory[relation] & ~forgotten
        state.memory[relation] = where(undo == relation, kept | target, kept)


@inlined
def forget(rules: Rules, state: State, pieces: Word) -> None:
    """Clears the memory of some pieces."""
    for relation in range(rules.relations):
        state.memory[relation] = state.memory[relation] & ~pieces
    if rules.remembers_points:
        forget_points(rules, state, pieces)


@kernel
def remember_points(rules: Rules, state: State, player: int, step: int, origin: int, men: int, removed: int) -> None:
    """As `remember`, where pieces remember points."""
    forget(rules, state, removed)
    cleared = origin if rules.undo_scope != TABLE.PER_PLAYER else origin | men
    start, end = rules[step + TABLE.ORIGIN], rules[step + TABLE.TARGET]
    is_leap = rules[step + TABLE.OVER] >= 0
    points = state.memory_points[start] if is_leap or rules.undo_scope == TABLE.NEVER_REVISIT else 0
    if not is_leap or rules.undo_scope == TABLE.NEVER_REVISIT:
        points |= origin
    if is_leap and not rules.jump_clears:
        cleared = origin
    forget(rules, state, cleared)
    if is_leap and rules.jump_clears:
        return
    if rules.jump_clears:
        # Other points can be forgotten: the piece comes beside them by a capture only, which clears its memory.
        points &= _within_steps(rules, player, end, points)
    state.memory_points[end] = points
    forbid_remembered(rules, state, end)


@kernel
def forget_points(rules: Rules, state: State, pieces: int) -> None:
    """Clears the points that some pieces remember."""
    for point in range(rules.points):
        if pieces >> point & 1:
            state.memory_points[point] = 0


@kernel
def forbid_remembered(rules: Rules, state: State, point: int) -> None:
    """Forbids the steps of the piece on `point` to points that it remembers."""
    for relation in range(rules.relations):
        other = rules[rules.relation_target + relation * rules.points + point]
        if other >= 0 and state.memory_points[point] >> other & 1:
            state.memory[relation] |= 1 << point


@kernel
def _within_steps(rules: Rules, player: int, point: int, remembered: int) -> int:
    """Points that a man on `point` can still step to without passing through `remembered` points."""
    within = 0
    reached = 1 << point
    to_do = reached
    while to_do:
        targets = rules[rules.man_steps + player * rules.points + lowest(to_do)]
        to_do &= to_do - 1
        within |= targets
        to_do |= targets & ~remembered & ~reached
        reached |= targets & ~remembered
    return within
