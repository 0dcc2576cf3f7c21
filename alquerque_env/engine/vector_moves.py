"""Generates the steps and captures of many matches at once, one match a lane, for the text of the rules.

The functions of `moves.py` for one match have the same names here. Blocks fill origin sets: bitboards of the
origins from which one direction of one block has a legal action, see `simd_table.py`.

Arguments are as in `rules/`. Each word of a state is a vector. `scratch` says what steps are found with; the legal
actions are left in the sets of its vectors, and `actions` is not used.
"""

from typing import Any, NamedTuple

from ..game import table_layout as TABLE
from . import simd_layout as SIMD
from .binding import inlined
from .fields import Rules, State
from .kernel_types import Table, Vector, Vectors
from .rules.observation import shown
from .words.numpy_words import (
    any_of,
    constant,
    count_each,
    draw_below,
    gather,
    gather_rows,
    nth_point,
    of_player,
    shifted,
    where,
)


class VectorScratch(NamedTuple):
    """What steps are found with.

    Attributes:
      codes, maps: Those of the `SimdTable`.
      vectors: Scratch vectors.
      player: The player to move: a vector when compiled, else one player for all matches (see
        `numpy_words.py`).
    """

    codes: Any
    maps: Any
    vectors: Vectors
    player: Vector


def mover(state: State, scratch: VectorScratch) -> Vector:
    """The players to move."""
    return scratch.player


@inlined
def look(
    rules: Rules, state: State, scratch: VectorScratch, player: Vector, men: Vector, kings: Vector, shut: Vector
) -> None:
    """Fills the scratch vectors that blocks read, except the pieces of the player to move."""
    theirs = of_player(1 - player, state.men) | of_player(1 - player, state.kings)
    _look(rules, scratch, men | kings, theirs, state.captured, shut)


@inlined
def _look(rules: Rules, scratch: VectorScratch, own: Vector, theirs: Vector, captured: Vector, shut: Vector) -> None:
    scratch.vectors[SIMD.EMPTY] = ~(own | theirs | shut) & rules.all_points
    scratch.vectors[SIMD.ENEMY] = theirs & ~captured


@inlined
def find_captures(
    rules: Rules, state: State, scratch: VectorScratch, actions: Any, player: Vector, men: Vector, kings: Vector,
    opens: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of captures; returns the origins that have any."""
    c, w = scratch.codes, scratch.vectors
    in_chain = state.chain >= 0
    only = constant(men, 1) << (state.chain & SIMD.POINT_MASK)
    first, following = (
        c[SIMD.SECTIONS] + SIMD.SECTION_SIZE * TABLE.FIRST_LEAP,
        c[SIMD.SECTIONS] + SIMD.SECTION_SIZE * TABLE.NEXT_LEAP,
    )
    if c[SIMD.SAME_LEAPS]:
        w[SIMD.OWN_MEN] = where(opens, 0, where(in_chain, men & only, men))
        w[SIMD.OWN_KINGS] = where(opens, 0, where(in_chain, kings & only, kings))
        return _run(c, player, w, first)
    w[SIMD.OWN_MEN] = where(in_chain | opens, 0, men)
    w[SIMD.OWN_KINGS] = where(in_chain | opens, 0, kings)
    found = _run(c, player, w, first)
    w[SIMD.OWN_MEN] = where(in_chain, men & only, 0)
    w[SIMD.OWN_KINGS] = where(in_chain, kings & only, 0)
    return found | _run(c, player, w, following)


@inlined
def find_steps(
    rules: Rules, state: State, scratch: VectorScratch, actions: Any, player: Vector, men: Vector, kings: Vector,
    stepping: Vector, found: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of simple steps; returns the origins that were `found` or have any."""
    c, w = scratch.codes, scratch.vectors
    section = c[SIMD.SECTIONS] + SIMD.SECTION_SIZE * TABLE.STEP
    if not any_of(stepping):
        _clear(c, w, c[section + SIMD.FIRST_SET], c[section + SIMD.END_SET])
        return found
    w[SIMD.OWN_MEN] = where(stepping, men, 0)
    w[SIMD.OWN_KINGS] = where(stepping, kings, 0)
    if rules.remembers:
        for lane in range(rules.relations):
            w[SIMD.ALLOWED + lane] = ~state.memory[lane]
    return found | _run(c, player, w, section)


@inlined
def keep_opening(
    rules: Rules, scratch: VectorScratch, actions: Any, player: Vector, opens: Vector, found: Vector
) -> Vector:
    """In matches that open, keeps the steps that the opening rule allows; returns the origins that have any."""
    c, w = scratch.codes, scratch.vectors
    section = c[SIMD.SECTIONS] + SIMD.SECTION_SIZE * TABLE.STEP
    openers = constant(w[SIMD.EMPTY], 0)
    for place in range(c[section + SIMD.FIRST_SET], c[section + SIMD.END_SET]):
        words = w[c[SIMD.ORIGIN_SETS] + place]
        kept = words & of_player(player, c, c[SIMD.OPENS] + 2 * place)
        w[c[SIMD.ORIGIN_SETS] + place] = where(opens, kept, words)
        openers = openers | kept
    return where(opens, openers, found)


@inlined
def find_placings(
    rules: Rules, scratch: VectorScratch, actions: Any, player: Vector, points: Vector, drops: Vector, removes: Vector,
    found: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of drops and removals; returns the origins that were `found` or have any."""
    w = scratch.vectors
    w[SIMD.OWN_KINGS] = constant(found, 0)
    w[SIMD.OWN_MEN] = where(drops, points, 0)
    sections = scratch.codes[SIMD.SECTIONS]
    found = found | _run(scratch.codes, player, w, sections + SIMD.SECTION_SIZE * TABLE.DROP)
    w[SIMD.OWN_MEN] = where(removes, points, 0)
    return found | _run(scratch.codes, player, w, sections + SIMD.SECTION_SIZE * TABLE.REMOVAL)


@inlined
def add_pass(rules: Rules, scratch: VectorScratch, actions: Any, passes: Vector, found: Vector) -> Vector:
    """Fills the set of the pass; returns the origins that were `found`, or any where the pass is legal."""
    c, w = scratch.codes, scratch.vectors
    passing = where(passes, constant(found, 1), 0)
    w[c[SIMD.ORIGIN_SETS] + c[SIMD.PASS_SET]] = passing
    return found | passing


@inlined
def can_continue(
    rules: Rules, scratch: VectorScratch, player: Vector, men: Vector, kings: Vector, theirs: Vector, captured: Vector,
    shut: Vector, piece: Vector, kind: int, goes_on: Vector,
) -> Vector:  # fmt: skip
    """The matches, among those that may go on, in which the piece in a chain has an action of a section of blocks."""
    c, w = scratch.codes, scratch.vectors
    _look(rules, scratch, men | kings, theirs, captured, shut)
    only = where(goes_on, piece, 0)
    w[SIMD.OWN_MEN] = men & only
    w[SIMD.OWN_KINGS] = kings & only
    return _run(c, player, w, c[SIMD.SECTIONS] + SIMD.SECTION_SIZE * kind) != 0


@inlined
def read_step(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """What an action does, in one integer, for the functions below."""
    return gather(scratch.maps, of_player(player, scratch.codes, SIMD.STEPS) + action)


# These are written out, see `binding.py`. A shift by a point that is none must not be too long.


def is_pass(rules: Rules, step: Vector) -> Vector:
    """Whether the action is the pass."""
    return step >> SIMD.PASS_SHIFT > 0


def is_leap(rules: Rules, step: Vector) -> Vector:
    """Whether the action is a capture."""
    return step >> SIMD.OVER_SHIFT & SIMD.OVER_MASK > 0


def is_placing(rules: Rules, step: Vector) -> Vector:
    """Whether the action is a drop or a removal."""
    return step >> SIMD.PLACING_SHIFT & 1 > 0


def origin_of(rules: Rules, step: Vector) -> Vector:
    """The point where the action begins."""
    return step & SIMD.POINT_MASK


def target_of(rules: Rules, step: Vector) -> Vector:
    """The point where the action ends."""
    return step >> SIMD.TARGET_SHIFT & SIMD.POINT_MASK


def victim_of(rules: Rules, step: Vector) -> Vector:
    """The point of the piece that a capture takes."""
    return (step >> SIMD.OVER_SHIFT & SIMD.OVER_MASK) - 1 & SIMD.POINT_MASK


def undo_of(rules: Rules, step: Vector) -> Vector:
    """The relation that leads back from a simple step, or -1."""
    return (step >> SIMD.UNDO_SHIFT & SIMD.UNDO_MASK) - 1


def plan_of(rules: Rules, scratch: VectorScratch, stage: Vector) -> Vector:
    """What the schedule says of a ply: twice what is done, plus 1 if the same player goes on."""
    return gather(scratch.maps, stage + scratch.codes[SIMD.SCHEDULE])


def planned_points(rules: Rules, scratch: VectorScratch, stage: Vector) -> Vector:
    """Where the schedule lets a piece be dropped or removed."""
    return gather(scratch.maps, stage + scratch.codes[SIMD.SCHEDULE_POINTS])


def points_taken(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """The points of the pieces that a capture may take."""
    return gather(scratch.maps, of_player(player, scratch.codes, SIMD.TAKEN) + action)


def point_beyond(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """The point straight ahead of the target of an action, a bitboard."""
    return gather(scratch.maps, of_player(player, scratch.codes, SIMD.BEYOND) + action)


def point_of(point: Vector) -> Vector:
    """A point where it is one."""
    return point & SIMD.POINT_MASK


# Rules for one match only; `make_simd_table` leaves games with them out.


@inlined
def keep_best(rules: Rules, state: State, scratch: VectorScratch, actions: Any, found: Vector) -> Vector:
    """Is never called."""
    return found


@inlined
def remember_points(
    rules: Rules, state: State, player: Vector, step: Vector, origin: Vector, men: Vector, removed: Vector
) -> None:
    """Is never called."""


@inlined
def forget_points(rules: Rules, state: State, pieces: Vector) -> None:
    """Is never called."""


@inlined
def observe(rules: Rules, state: State, earlier: Vector, observed: Vectors) -> None:
    """Fills the vector of each observation plane: a bitboard, in the frame of South, or the plane's value.

    Args:
      earlier: How often the positions occurred before in their matches.
      observed: Written: a vector for each plane.
    """
    for index in range(rules.num_planes):
        observed[index] = shown(rules, state, rules.planes + TABLE.PLANE_SIZE * index, earlier)


@inlined
def choose(rules: Rules, scratch: VectorScratch, rng: Any) -> Vector:
    """Draws one of the legal actions uniformly for each match."""
    c, w = scratch.codes, scratch.vectors
    sets, tallies = c[SIMD.ORIGIN_SETS], c[SIMD.TALLIES]
    total = constant(w[sets], 0)
    w[tallies - 1] = total
    for place in range(c[SIMD.NUM_ORIGIN_SETS]):
        total = total + count_each(w[sets + place])
        w[tallies + place] = total
    index = draw_below(rng, total)
    rank = constant(total, 0)
    for place in range(c[SIMD.NUM_ORIGIN_SETS] - 1):
        rank = where(w[tallies + place] <= index, rank + 1, rank)
    # A match without a legal action gets the action of the first set and point, which exists.
    rank = where(total == 0, 0, rank)
    index = index - gather_rows(w, rank + (tallies - 1))
    point = nth_point(gather_rows(w, rank + sets), index)
    point = where(total == 0, 0, point)
    return gather(scratch.maps, of_player(scratch.player, c, SIMD.MAPS) + rank * rules.points + point)


@inlined
def reset(rules: Rules, start: Any, state: Vectors, flags: Vector) -> None:
    """Resets the matches whose flag is set."""
    for place in range(rules.state_size):
        state[place] = where(flags, start[place], state[place])


@inlined
def _run(c: Table, player: Vector, w: Vectors, section: int) -> Vector:
    """Runs the blocks of a section; returns the origins that have an action."""
    block, end = c[section + SIMD.BEGIN], c[section + SIMD.END]
    if not any_of(w[SIMD.OWN_KINGS] != 0):
        end = c[section + SIMD.KINGS_BEGIN]
        _clear(c, w, c[section + SIMD.KINGS_SET], c[section + SIMD.END_SET])
    found = constant(w[SIMD.OWN_MEN], 0)
    while block < end:
        left = _narrow(c, player, w, block)
        following = block + SIMD.BLOCK_SIZE
        if c[block + SIMD.WORDS] >= c[SIMD.ORIGIN_SETS]:
            found = found | left
        if not c[block + SIMD.IS_LAST] and not any_of(left != 0):
            _clear(c, w, c[block + SIMD.SKIPPED], c[block + SIMD.END_SKIPPED])
            following = c[block + SIMD.SKIP]
        block = following
    return found


@inlined
def _narrow(c: Table, player: Vector, w: Vectors, block: int) -> Vector:
    """Runs a block; returns the origins that are left in any direction."""
    lanes = c[block + SIMD.LANES]
    if not c[block + SIMD.IS_SHARED]:
        return _narrow_by_player(c, player, w, block, lanes)
    if lanes == TABLE.LANES:  # the compiler unrolls a loop of known length
        return _narrow_shared(c, w, block, TABLE.LANES)
    return _narrow_shared(c, w, block, lanes)


@inlined
def _narrow_by_player(c: Table, player: Vector, w: Vectors, block: int, lanes: int) -> Vector:
    """Runs a block that differs between the players, or reads another vector in each direction."""
    parents, parents_step = c[block + SIMD.PARENTS], c[block + SIMD.PARENTS_STEP]
    sees, sees_step = c[block + SIMD.SEES], c[block + SIMD.SEES_STEP]
    any_left = constant(w[SIMD.EMPTY], 0)
    for lane in range(lanes):
        row = block + SIMD.ROWS + SIMD.ROW_SIZE * lane
        seen = shifted(w[sees + sees_step * lane], of_player(player, c, row + SIMD.DISTANCE))
        left = w[parents + parents_step * lane] & of_player(player, c, row + SIMD.ORIGINS) & seen
        w[c[block + SIMD.WORDS] + lane] = left
        any_left = any_left | left
    return any_left


@inlined
def _narrow_shared(c: Table, w: Vectors, block: int, lanes: int) -> Vector:
    """Runs a block that is equal for both players and reads one vector in all directions."""
    seen, parents, words = w[c[block + SIMD.SEES]], c[block + SIMD.PARENTS], c[block + SIMD.WORDS]
    any_left = constant(seen, 0)
    if c[block + SIMD.PARENTS_STEP] == 0:
        own = w[parents]
        for lane in range(lanes):
            row = block + SIMD.ROWS + SIMD.ROW_SIZE * lane
            left = own & c[row + SIMD.ORIGINS] & shifted(seen, c[row + SIMD.DISTANCE])
            w[words + lane] = left
            any_left = any_left | left
        return any_left
    for lane in range(lanes):
        row = block + SIMD.ROWS + SIMD.ROW_SIZE * lane
        left = w[parents + lane] & c[row + SIMD.ORIGINS] & shifted(seen, c[row + SIMD.DISTANCE])
        w[words + lane] = left
        any_left = any_left | left
    return any_left


@inlined
def _clear(c: Table, w: Vectors, first: int, end: int) -> None:
    """Empties some sets."""
    for place in range(first, end):
        w[c[SIMD.ORIGIN_SETS] + place] = 0
