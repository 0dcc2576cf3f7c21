"""Memory of simple moves that may not be undone.

Arguments are as in `engine.py`. The exported player carries this file as it is.
"""

from ..game.table_layout import *
from .compiler import kernel, lowest


@kernel
def remember_step(t, s, step):
    """Notes a simple move, so that it is not undone."""
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
def remember_leap(t, s, step):
    """Clears the memory of a piece that captures, or carries it along."""
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
def forget(t, s, bits):
    """Clears the memory of pieces."""
    for relation in range(t[T_RELATIONS]):
        s[MEMORY + relation] &= ~bits
    if t[T_REMEMBERS_POINTS]:
        for point in range(t[T_POINTS]):
            if bits >> point & 1:
                s[MEMORY_POINTS + point] = 0


@kernel
def _store_memory(t, s, point, points):
    """Lets the piece on `point` remember `points`, and marks the steps that this forbids."""
    if t[T_JUMP_CLEARS]:
        points &= _within_steps(t, s[PLAYER], point, points)
    s[MEMORY_POINTS + point] = points
    forbid_remembered(t, s, point)


@kernel
def forbid_remembered(t, s, point):
    """Marks the steps that the memory of the piece on a point forbids."""
    for relation in range(t[T_RELATIONS]):
        other = t[t[T_RELATION_TARGET] + relation * t[T_POINTS] + point]
        if other >= 0 and s[MEMORY_POINTS + point] >> other & 1:
            s[MEMORY + relation] |= 1 << point


@kernel
def _within_steps(t, player, point, remembered):
    """Points to which a man on `point` might yet step, if it walks round those that it remembers."""
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
