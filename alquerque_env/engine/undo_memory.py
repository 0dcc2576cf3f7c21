"""No-undo memory: which simple steps a piece may not take because they would undo an earlier one.

`s[MEMORY + relation]` is a bitboard of pieces that may not step along a relation (a direction of the board). Under some
rules `s[MEMORY_POINTS + point]` also holds the points that the piece on `point` remembers.

Arguments are as in `rules.py`. The exported player carries this file.
"""

from ..game.table_layout import *
from .compiler import kernel, lowest
from .kernel_types import Table, Words


@kernel
def remember_step(t: Table, s: Words, step: int) -> None:
    """Updates the memory after the simple step in row `step` of the table."""
    origin = 1 << t[step + ORIGIN]
    target = 1 << t[step + TARGET]
    points = origin
    if t[T_UNDO_SCOPE] == NEVER_REVISIT:
        points |= s[MEMORY_POINTS + t[step + ORIGIN]]
    forget(t, s, origin if t[T_UNDO_SCOPE] != PER_PLAYER else origin | s[MEN + s[PLAYER]])
    if t[T_REMEMBERS_POINTS]:
        _store_memory(t, s, t[step + TARGET], points)
    elif t[step + UNDO] >= 0:
        s[MEMORY + t[step + UNDO]] |= target


@kernel
def remember_leap(t: Table, s: Words, step: int) -> None:
    """Clears the memory of a piece that captures, or moves it to the piece's new point."""
    origin = 1 << t[step + ORIGIN]
    if t[T_JUMP_CLEARS]:
        forget(t, s, origin if t[T_UNDO_SCOPE] != PER_PLAYER else origin | s[MEN + s[PLAYER]])
        return
    points = s[MEMORY_POINTS + t[step + ORIGIN]]
    if t[T_UNDO_SCOPE] == NEVER_REVISIT:
        points |= origin
    forget(t, s, origin)
    _store_memory(t, s, t[step + TARGET], points)


@kernel
def forget(t: Table, s: Words, bits: int) -> None:
    """Clears the memory of the pieces on `bits`."""
    for relation in range(t[T_RELATIONS]):
        s[MEMORY + relation] &= ~bits
    if t[T_REMEMBERS_POINTS]:
        for point in range(t[T_POINTS]):
            if bits >> point & 1:
                s[MEMORY_POINTS + point] = 0


@kernel
def _store_memory(t: Table, s: Words, point: int, points: int) -> None:
    """Sets the points that the piece on `point` remembers, and forbids the steps to them."""
    if t[T_JUMP_CLEARS]:
        points &= _within_steps(t, s[PLAYER], point, points)
    s[MEMORY_POINTS + point] = points
    forbid_remembered(t, s, point)


@kernel
def forbid_remembered(t: Table, s: Words, point: int) -> None:
    """Forbids the steps of the piece on `point` to points that it remembers."""
    for relation in range(t[T_RELATIONS]):
        other = t[t[T_RELATION_TARGET] + relation * t[T_POINTS] + point]
        if other >= 0 and s[MEMORY_POINTS + point] >> other & 1:
            s[MEMORY + relation] |= 1 << point


@kernel
def _within_steps(t: Table, player: int, point: int, remembered: int) -> int:
    """Points that a man on `point` can still step to without passing through `remembered` points."""
    within = 0
    reached = 1 << point
    to_do = reached
    while to_do:
        targets = t[t[T_MAN_STEPS] + player * t[T_POINTS] + lowest(to_do)]
        to_do &= to_do - 1
        within |= targets
        to_do |= targets & ~remembered & ~reached
        reached |= targets & ~remembered
    return within
