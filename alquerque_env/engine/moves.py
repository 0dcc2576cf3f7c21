"""Generates steps and captures.

A table has sections of blocks. A block takes a bitboard of origins and keeps the origins with the right kind of point
(empty or enemy) at a distance, in eight directions at once, one for each lane. A block with actions yields an action
for each origin that is left; other blocks pass their origins on to the blocks that follow.

Arguments are as in `rules.py`. The exported player carries this file.
"""

from ..game.table_layout import *
from .compiler import count_lanes, fill_lanes, find_lane, inlined, invert_lanes, lowest, narrow_lanes, nth_bit
from .kernel_types import Table, Words


@inlined
def look(t: Table, s: Table, w: Words) -> None:
    """Fills the scratch space with the bitboards that blocks read, for the player to move."""
    player = s[PLAYER]
    men = s[MEN + player]
    kings = s[KINGS + player]
    enemy = s[MEN + 1 - player] | s[KINGS + 1 - player]
    fill_lanes(w, EMPTY, t[T_ALL_POINTS] & ~(men | kings | enemy | s[BARRED]))
    fill_lanes(w, ENEMY, enemy & ~s[CAPTURED])
    if s[CHAIN] >= 0:
        men &= 1 << s[CHAIN]
        kings &= 1 << s[CHAIN]
    fill_lanes(w, OWN_MEN, men)
    fill_lanes(w, OWN_KINGS, kings)


@inlined
def look_back(t: Table, s: Table, w: Words) -> None:
    """Fills the scratch space with the origins from which no-undo memory allows a step."""
    if t[T_REMEMBERS]:
        invert_lanes(w, ALLOWED, s, MEMORY)


@inlined
def _narrow(t: Table, w: Words, block: int) -> int:
    """Runs a block; returns the lanes in which an origin is left, as bits."""
    return narrow_lanes(t, block + DISTANCES, block + ORIGINS, w, t[block + PARENTS], t[block + SEES], t[block + WORDS])


@inlined
def generate(t: Table, w: Words, section: int, actions: Words, n: int) -> int:
    """Appends the actions of a section of blocks to the `n` in `actions`; returns the new number."""
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes == 0:
            block = t[block + SKIP]
            continue
        if t[block + ACTIONS]:
            n = _list(t, w, block, lanes, actions, n)
        block += BLOCK_SIZE
    return n


@inlined
def _list(t: Table, w: Words, block: int, lanes: int, actions: Words, n: int) -> int:
    while lanes:
        lane = lowest(lanes)
        lanes &= lanes - 1
        origins = w[t[block + WORDS] + lane]
        numbers = t[block + ACTIONS] + lane * t[T_POINTS]
        while origins:
            actions[n] = t[numbers + lowest(origins)]
            n += 1
            origins &= origins - 1
    return n


@inlined
def count_actions(t: Table, w: Words, section: int) -> int:
    """Number of actions of a section of blocks. Leaves counts and bitboards in `w` for `pick_action`."""
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    n = 0
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes and t[block + ACTIONS]:
            lanes = count_lanes(w, t[block + WORDS])
            n += lanes
        w[t[block + TALLY]] = lanes
        block = block + BLOCK_SIZE if lanes else t[block + SKIP]
    return n


@inlined
def pick_action(t: Table, w: Words, section: int, index: int) -> int:
    """The action at an index of those that `count_actions` has counted."""
    block = t[section + BEGIN]
    tally = w[t[block + TALLY]]
    while t[block + ACTIONS] == 0 or index >= tally:
        if t[block + ACTIONS]:
            index -= tally
        block = block + BLOCK_SIZE if tally else t[block + SKIP]
        tally = w[t[block + TALLY]]
    words = t[block + WORDS]
    found = find_lane(w, words, index)
    lane, index = found >> 32, found & 0xFFFFFFFF
    return t[t[block + ACTIONS] + lane * t[T_POINTS] + nth_bit(w[words + lane], index)]


@inlined
def section_of(t: Table, s: Table, kind: int) -> int:
    """Index in the table of a section of blocks of the player to move."""
    return t[T_SECTIONS] + SECTION_SIZE * (SECTIONS * s[PLAYER] + kind)


@inlined
def generate_captures(t: Table, s: Table, w: Words, actions: Words) -> int:
    """Fills `actions` with the captures of the player to move, before any rule compares them with each other."""
    look(t, s, w)
    kind = FIRST_LEAP if s[CHAIN] < 0 else NEXT_LEAP
    return generate(t, w, section_of(t, s, kind), actions, 0)


@inlined
def can_go_on(t: Table, s: Table, w: Words) -> bool:
    """Whether the piece in the middle of a chain can capture again."""
    look(t, s, w)
    section = section_of(t, s, NEXT_LEAP)
    block = t[section + BEGIN]
    end = t[section + END if w[OWN_KINGS] else section + KINGS_BEGIN]
    while block < end:
        lanes = _narrow(t, w, block)
        if lanes and t[block + ACTIONS]:
            return True
        block = block + BLOCK_SIZE if lanes else t[block + SKIP]
    return False
