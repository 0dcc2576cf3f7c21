"""Generates the steps and captures of many matches at once for the text of the rules.

The functions of `moves.py` for one match have the same names here. Blocks fill origin sets: bitboards of the
origins from which one direction of one block has a legal action, see `torch_table.py`.

Arguments are as in `rules/`. Each word of a state is a vector. `scratch` says what steps are found with; the legal
actions are left in the sets of its vectors, and `actions` is not used.
"""

from typing import Any, NamedTuple

from ..game import table_layout as TABLE
from . import torch_layout as TORCH
from .binding import inlined
from .fields import Rules, State
from .kernel_types import Table, Vector, Vectors
from .rules.observation import shown
from .words.torch_words import constant, gather, of_player, shifted, where


class VectorScratch(NamedTuple):
    """What steps are found with.

    Attributes:
      codes, maps: Those of the `TorchTable`.
      vectors: Scratch vectors.
      player: The players to move.
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
    scratch.vectors[TORCH.EMPTY] = ~(own | theirs | shut) & rules.all_points
    scratch.vectors[TORCH.ENEMY] = theirs & ~captured


@inlined
def find_captures(
    rules: Rules, state: State, scratch: VectorScratch, actions: Any, player: Vector, men: Vector, kings: Vector,
    opens: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of captures; returns the origins that have any."""
    c, w = scratch.codes, scratch.vectors
    in_chain = state.chain >= 0
    only = constant(men, 1) << (state.chain & TORCH.POINT_MASK)
    first, following = (
        c[TORCH.SECTIONS] + TORCH.SECTION_SIZE * TABLE.FIRST_LEAP,
        c[TORCH.SECTIONS] + TORCH.SECTION_SIZE * TABLE.NEXT_LEAP,
    )
    # A match is at the start of a chain or in one, so where both have the same blocks, one run serves all matches.
    if c[TORCH.SAME_LEAPS]:
        w[TORCH.OWN_MEN] = where(opens, 0, where(in_chain, men & only, men))
        w[TORCH.OWN_KINGS] = where(opens, 0, where(in_chain, kings & only, kings))
        return _run(c, player, w, first)
    w[TORCH.OWN_MEN] = where(in_chain | opens, 0, men)
    w[TORCH.OWN_KINGS] = where(in_chain | opens, 0, kings)
    found = _run(c, player, w, first)
    w[TORCH.OWN_MEN] = where(in_chain, men & only, 0)
    w[TORCH.OWN_KINGS] = where(in_chain, kings & only, 0)
    return found | _run(c, player, w, following)


@inlined
def find_steps(
    rules: Rules, state: State, scratch: VectorScratch, actions: Any, player: Vector, men: Vector, kings: Vector,
    stepping: Vector, found: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of simple steps; returns the origins that were `found` or have any."""
    c, w = scratch.codes, scratch.vectors
    section = c[TORCH.SECTIONS] + TORCH.SECTION_SIZE * TABLE.STEP
    w[TORCH.OWN_MEN] = where(stepping, men, 0)
    w[TORCH.OWN_KINGS] = where(stepping, kings, 0)
    if rules.remembers:
        for lane in range(rules.relations):
            w[TORCH.ALLOWED + lane] = ~state.memory[lane]
    return found | _run(c, player, w, section)


@inlined
def keep_opening(
    rules: Rules, scratch: VectorScratch, actions: Any, player: Vector, opens: Vector, found: Vector
) -> Vector:
    """In matches that open, keeps the steps that the opening rule allows; returns the origins that have any."""
    c, w = scratch.codes, scratch.vectors
    section = c[TORCH.SECTIONS] + TORCH.SECTION_SIZE * TABLE.STEP
    openers = constant(w[TORCH.EMPTY], 0)
    for place in range(c[section + TORCH.FIRST_SET], c[section + TORCH.END_SET]):
        words = w[c[TORCH.ORIGIN_SETS] + place]
        kept = words & of_player(player, c, c[TORCH.OPENS] + 2 * place)
        w[c[TORCH.ORIGIN_SETS] + place] = where(opens, kept, words)
        openers = openers | kept
    return where(opens, openers, found)


@inlined
def find_placings(
    rules: Rules, scratch: VectorScratch, actions: Any, player: Vector, points: Vector, drops: Vector, removes: Vector,
    found: Vector,
) -> Vector:  # fmt: skip
    """Fills the origin sets of drops and removals; returns the origins that were `found` or have any."""
    w = scratch.vectors
    w[TORCH.OWN_KINGS] = constant(found, 0)
    w[TORCH.OWN_MEN] = where(drops, points, 0)
    sections = scratch.codes[TORCH.SECTIONS]
    found = found | _run(scratch.codes, player, w, sections + TORCH.SECTION_SIZE * TABLE.DROP)
    w[TORCH.OWN_MEN] = where(removes, points, 0)
    return found | _run(scratch.codes, player, w, sections + TORCH.SECTION_SIZE * TABLE.REMOVAL)


@inlined
def add_pass(rules: Rules, scratch: VectorScratch, actions: Any, passes: Vector, found: Vector) -> Vector:
    """Fills the set of the pass; returns the origins that were `found`, or any where the pass is legal."""
    c, w = scratch.codes, scratch.vectors
    # The pass has no origin; `TorchTable.actions` has it at point 0 of its set.
    passing = where(passes, constant(found, 1), 0)
    w[c[TORCH.ORIGIN_SETS] + c[TORCH.PASS_SET]] = passing
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
    w[TORCH.OWN_MEN] = men & only
    w[TORCH.OWN_KINGS] = kings & only
    return _run(c, player, w, c[TORCH.SECTIONS] + TORCH.SECTION_SIZE * kind) != 0


@inlined
def read_step(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """What an action does, in one integer, for the functions below."""
    return gather(scratch.maps, of_player(player, scratch.codes, TORCH.STEPS) + action)


# These are written out, see `binding.py`. A shift by a point that is none must not be too long.


def is_pass(rules: Rules, step: Vector) -> Vector:
    """Whether the action is the pass."""
    return step >> TORCH.PASS_SHIFT > 0


def is_leap(rules: Rules, step: Vector) -> Vector:
    """Whether the action is a capture."""
    return step >> TORCH.OVER_SHIFT & TORCH.OVER_MASK > 0


def is_placing(rules: Rules, step: Vector) -> Vector:
    """Whether the action is a drop or a removal."""
    return step >> TORCH.PLACING_SHIFT & 1 > 0


def origin_of(rules: Rules, step: Vector) -> Vector:
    """The point where the action begins."""
    return step & TORCH.POINT_MASK


def target_of(rules: Rules, step: Vector) -> Vector:
    """The point where the action ends."""
    return step >> TORCH.TARGET_SHIFT & TORCH.POINT_MASK


def victim_of(rules: Rules, step: Vector) -> Vector:
    """The point of the piece that a capture takes."""
    return (step >> TORCH.OVER_SHIFT & TORCH.OVER_MASK) - 1 & TORCH.POINT_MASK


def undo_of(rules: Rules, step: Vector) -> Vector:
    """The relation that leads back from a simple step, or -1."""
    return (step >> TORCH.UNDO_SHIFT & TORCH.UNDO_MASK) - 1


def plan_of(rules: Rules, scratch: VectorScratch, stage: Vector) -> Vector:
    """What the schedule says of a ply: twice what is done, plus 1 if the same player goes on."""
    return gather(scratch.maps, stage + scratch.codes[TORCH.SCHEDULE])


def planned_points(rules: Rules, scratch: VectorScratch, stage: Vector) -> Vector:
    """Where the schedule lets a piece be dropped or removed."""
    return gather(scratch.maps, stage + scratch.codes[TORCH.SCHEDULE_POINTS])


def points_taken(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """The points of the pieces that a capture may take."""
    return gather(scratch.maps, of_player(player, scratch.codes, TORCH.TAKEN) + action)


def point_beyond(rules: Rules, scratch: VectorScratch, player: Vector, action: Vector) -> Vector:
    """The point straight ahead of the target of an action, a bitboard."""
    return gather(scratch.maps, of_player(player, scratch.codes, TORCH.BEYOND) + action)


def point_of(point: Vector) -> Vector:
    """A point where it is one."""
    return point & TORCH.POINT_MASK


# Rules for one match only; `make_torch_table` leaves games with them out.


@inlined
def keep_best(rules: Rules, state: State, scratch: VectorScratch, actions: Any, found: Vector) -> Vector:
    """Stub: `make_torch_table` leaves games with this rule out."""
    return found


@inlined
def remember_points(
    rules: Rules, state: State, player: Vector, step: Vector, origin: Vector, men: Vector, removed: Vector
) -> None:
    """Stub: `make_torch_table` leaves games with this rule out."""


@inlined
def forget_points(rules: Rules, state: State, pieces: Vector) -> None:
    """Stub: `make_torch_table` leaves games with this rule out."""


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
def _run(c: Table, player: Vector, w: Vectors, section: int) -> Vector:
    """Runs the blocks of a section; returns the origins that have an action."""
    found = constant(w[TORCH.OWN_MEN], 0)
    for block in range(c[section + TORCH.BEGIN], c[section + TORCH.END], TORCH.BLOCK_SIZE):
        narrow = _narrow_shared if c[block + TORCH.IS_SHARED] else _narrow_by_player
        left = narrow(c, player, w, block)
        # The vectors of blocks without an action stand before the origin sets.
        if c[block + TORCH.WORDS] >= c[TORCH.ORIGIN_SETS]:
            found = found | left
    return found


@inlined
def _narrow_by_player(c: Table, player: Vector, w: Vectors, block: int) -> Vector:
    """Runs a block that differs between the players, or reads another vector in each direction.

    Returns the origins that are left in any direction.
    """
    parents, parents_step = c[block + TORCH.PARENTS], c[block + TORCH.PARENTS_STEP]
    sees, sees_step = c[block + TORCH.SEES], c[block + TORCH.SEES_STEP]
    any_left = constant(w[TORCH.EMPTY], 0)
    for lane in range(c[block + TORCH.LANES]):
        row = block + TORCH.ROWS + TORCH.ROW_SIZE * lane
        seen = shifted(w[sees + sees_step * lane], of_player(player, c, row + TORCH.DISTANCE))
        left = w[parents + parents_step * lane] & of_player(player, c, row + TORCH.ORIGINS) & seen
        w[c[block + TORCH.WORDS] + lane] = left
        any_left = any_left | left
    return any_left


@inlined
def _narrow_shared(c: Table, player: Vector, w: Vectors, block: int) -> Vector:
    """As `_narrow_by_player`, for a block that is equal for both players and reads one vector in all directions."""
    seen, parents, parents_step = w[c[block + TORCH.SEES]], c[block + TORCH.PARENTS], c[block + TORCH.PARENTS_STEP]
    any_left = constant(seen, 0)
    for lane in range(c[block + TORCH.LANES]):
        row = block + TORCH.ROWS + TORCH.ROW_SIZE * lane
        left = w[parents + parents_step * lane] & c[row + TORCH.ORIGINS] & shifted(seen, c[row + TORCH.DISTANCE])
        w[c[block + TORCH.WORDS] + lane] = left
        any_left = any_left | left
    return any_left
