"""The rules of play on many matches at once, one match a lane; `rules.py` has them for one match.

Arguments that many kernels share:
  t: The step table.
  c, maps: The codes and maps of its `SimdTable`.
  s: The states, one vector for each integer of a state.
  w: Scratch vectors. The legal actions are left in their planes.
  player: The player to move: a vector when compiled, else one player for all matches (see `numpy_words.py`).
"""

from typing import Any

from ..game import table_layout as e
from ..game.ruleset import NORTH, SOUTH
from .compiler import inlined
from .kernel_types import Table, Vector, Vectors
from .simd_layout import *
from .words.numpy_words import (
    any_of,
    constant,
    count_each,
    draw_below,
    gather,
    gather_rows,
    give_to_player,
    nth_point,
    of_player,
    shifted,
    where,
)


@inlined
def find_legal(t: Table, c: Table, start: Any, player: Vector, s: Vectors, w: Vectors) -> Vector:
    """Fills the planes of legal actions, also where a match has ended; returns the matches that have any."""
    men = of_player(player, s, e.MEN)
    kings = of_player(player, s, e.KINGS)
    chain = s[e.CHAIN]
    in_chain = chain >= 0
    enemy = of_player(1 - player, s, e.MEN) | of_player(1 - player, s, e.KINGS)
    _look(t, w, men | kings, enemy, s[e.CAPTURED], s[e.BARRED])
    at_start = in_chain & ~in_chain
    if t[e.T_HAS_OPENING]:
        at_start = is_start(t, start, s)
    found = _find_captures(c, player, w, men, kings, chain, at_start)
    stepping = ~in_chain
    if not t[e.T_CAPTURE_OPTIONAL]:
        stepping = stepping & (found == 0)
    section = c[C_SECTIONS] + SECTION_SIZE * e.STEP
    if any_of(stepping):
        w[OWN_MEN] = where(stepping, men, 0)
        w[OWN_KINGS] = where(stepping, kings, 0)
        if t[e.T_REMEMBERS]:
            for lane in range(t[e.T_RELATIONS]):
                w[ALLOWED + lane] = ~s[e.MEMORY + lane]
        found = found | _run(c, player, w, section)
        if t[e.T_HAS_OPENING] and any_of(at_start):
            found = where(at_start, _keep_opening(c, player, w, section, at_start), found)
    else:
        _clear(c, w, c[section + FIRST_PLANE], c[section + END_PLANE])
    if c[C_PASS_PLANE] >= 0:
        passing = where(in_chain, int(t[e.T_CHAIN] == e.OPTIONAL), 0)
        if t[e.T_NO_MOVES] == e.PASS:
            passing = where((found == 0) & ~in_chain & ~at_start, 1, passing)
        w[c[C_PLANES] + c[C_PASS_PLANE]] = passing
        found = found | passing
    return found != 0


@inlined
def choose(t: Table, c: Table, maps: Any, player: Vector, w: Vectors, rng: Any) -> Vector:
    """Draws one of the legal actions uniformly for each match."""
    planes, tallies = c[C_PLANES], c[C_TALLIES]
    total = constant(w[planes], 0)
    w[tallies - 1] = total
    for plane in range(c[C_NUM_PLANES]):
        total = total + count_each(w[planes + plane])
        w[tallies + plane] = total
    index = draw_below(rng, total)
    rank = constant(total, 0)
    for plane in range(c[C_NUM_PLANES] - 1):
        rank = where(w[tallies + plane] <= index, rank + 1, rank)
    # A match without a legal action gets the action of the first plane and point, which exists.
    rank = where(total == 0, 0, rank)
    index = index - gather_rows(w, rank + (tallies - 1))
    point = nth_point(gather_rows(w, rank + planes), index)
    point = where(total == 0, 0, point)
    return gather(maps, of_player(player, c, C_MAPS) + rank * t[e.T_POINTS] + point)


@inlined
def apply(t: Table, c: Table, maps: Any, player: Vector, s: Vectors, w: Vectors, actions: Vector) -> None:
    """Changes the states to those after one legal action in each match."""
    step = gather(maps, of_player(player, c, C_STEPS) + actions)
    target_point = step >> TARGET_SHIFT & POINT_MASK
    over = step >> OVER_SHIFT & OVER_MASK
    leaps = over > 0
    passes = step >> PASS_SHIFT > 0
    moved = where(passes, 0, constant(step, 1))
    origin, target = moved << (step & POINT_MASK), moved << target_point
    victim = where(leaps, moved << (over - 1 & POINT_MASK), 0)
    men, kings = of_player(player, s, e.MEN), of_player(player, s, e.KINGS)
    their_men, their_kings = of_player(1 - player, s, e.MEN), of_player(1 - player, s, e.KINGS)
    is_man = men & origin != 0
    men = where(is_man, men ^ (origin | target), men)
    kings = where(is_man, kings, kings ^ (origin | target))
    chain, captured, barred, quiet = s[e.CHAIN], s[e.CAPTURED], s[e.BARRED], s[e.QUIET]
    removed = victim
    if t[e.T_REMOVAL_AT_END]:
        captured = captured | victim
        removed = constant(victim, 0)
    if t[e.T_REMEMBERS]:
        forgotten = origin | removed
        if t[e.T_UNDO_SCOPE] == e.PER_PLAYER:
            forgotten = where(passes, 0, forgotten | men)
        _remember(t, s, forgotten, where(leaps, 0, target), (step >> UNDO_SHIFT & UNDO_MASK) - 1)
    zone = of_player(player, t, e.T_PROMOTION)
    stops = leaps & ~leaps
    if t[e.T_CHAIN] == e.SINGLE:
        stops = leaps
    if t[e.T_MIDCHAIN_PROMOTION] != e.IF_TURN_ENDS_THERE:
        landed = where(leaps, men & target & zone, 0)
        men, kings = men ^ landed, kings | landed
        if t[e.T_MIDCHAIN_PROMOTION] == e.PROMOTE_AND_STOP:
            stops = stops | (landed != 0)
    if not t[e.T_MAY_RETURN_TO_START]:
        barred = where(leaps & (chain < 0), origin, barred)
    going_on = leaps & ~stops
    if any_of(going_on):
        _look(t, w, men | kings, (their_men | their_kings) & ~removed, captured, barred)
        only = where(going_on, target, 0)
        w[OWN_MEN] = men & only
        w[OWN_KINGS] = kings & only
        going_on = _run(c, player, w, c[C_SECTIONS] + SECTION_SIZE * e.NEXT_LEAP) != 0
    ended_chain = where(passes & (chain >= 0), 1 << (chain & POINT_MASK), 0)
    landed = where(going_on, 0, men & (target | ended_chain) & zone)
    men, kings = men ^ landed, kings | landed
    if t[e.T_REMOVAL_AT_END]:
        at_end = where(going_on, 0, captured)
        captured = where(going_on, captured, 0)
        removed = removed | at_end
        if t[e.T_REMEMBERS]:
            for lane in range(t[e.T_RELATIONS]):
                s[e.MEMORY + lane] = s[e.MEMORY + lane] & ~at_end
    progresses = leaps | (passes & (chain >= 0))
    if t[e.T_PROMOTION_IS_PROGRESS]:
        progresses = progresses | (landed != 0)
    give_to_player(player, s, e.MEN, men, their_men & ~removed)
    give_to_player(player, s, e.KINGS, kings, their_kings & ~removed)
    s[e.CAPTURED] = captured
    s[e.BARRED] = where(going_on, barred, 0)
    s[e.CHAIN] = where(going_on, target_point, e.NO_POINT)
    if t[e.T_COUNTS_QUIET]:
        s[e.QUIET] = where(progresses, 0, quiet + 1)
    s[e.PLAYER] = where(going_on, player, 1 - player)


@inlined
def outcome(t: Table, player: Vector, s: Vectors, movable: Vector, earlier: Vector) -> Vector:
    """The outcomes of the matches, coded as by `rules.outcome`.

    Args:
      movable: The matches with a legal action.
      earlier: How often the positions occurred before in their matches.
    """
    pieces_0, pieces_1 = s[e.MEN] | s[e.KINGS], s[e.MEN + 1] | s[e.KINGS + 1]
    result = constant(pieces_0, e.ONGOING)
    more = result
    if (t[e.T_NO_PROGRESS_LIMIT] > 0 and t[e.T_NO_PROGRESS_MAJORITY]) or t[e.T_NO_MOVES] == e.MAJORITY:
        count_0, count_1 = count_each(pieces_0), count_each(pieces_1)
        more = where(count_0 == count_1, e.NOBODY, where(count_0 > count_1, result, 1))
    if t[e.T_NO_PROGRESS_LIMIT] > 0:
        late = s[e.QUIET] >= t[e.T_NO_PROGRESS_LIMIT]
        if t[e.T_NO_PROGRESS_MAJORITY]:
            result = where(late, more + 4 * e.BY_MAJORITY, result)
        else:
            result = where(late, 4 * e.NO_PROGRESS + e.NOBODY, result)
    if t[e.T_THREEFOLD]:
        result = where(earlier + 1 >= e.OCCURRENCES_TO_DRAW, 4 * e.REPETITION + e.NOBODY, result)
    stuck = more + 4 * e.BLOCKED
    if t[e.T_NO_MOVES] == e.LOSS:
        stuck = constant(result, 4 * e.BLOCKED + 1) - player
    elif t[e.T_NO_MOVES] == e.DRAW:
        stuck = constant(result, 4 * e.BLOCKED + e.NOBODY)
    result = where(movable, result, stuck)
    result = where(pieces_1 == 0, 4 * e.CAPTURED_ALL, result)
    result = where(pieces_0 == 0, 4 * e.CAPTURED_ALL + 1, result)
    return where(s[e.CHAIN] >= 0, e.ONGOING, result)


@inlined
def observe(t: Table, start: Any, s: Vectors, earlier: Vector, observed: Vectors) -> None:
    """Fills the vector of each observation plane: a bitboard, in the frame of South, or the plane's value.

    Args:
      earlier: How often the positions occurred before in their matches.
      observed: Written: a vector for each plane.
    """
    player = s[e.PLAYER]
    for index in range(t[e.T_NUM_PLANES]):
        plane = t[e.T_PLANES] + e.PLANE_SIZE * index
        kind, source = t[plane + e.PLANE_KIND], t[plane + e.PLANE_SOURCE]
        if kind == e.PLANE_WORD:
            observed[index] = where(player == SOUTH, s[source], s[t[plane + e.PLANE_SOURCE + NORTH]])
        elif kind == e.PLANE_POINT:
            point = s[source]
            observed[index] = where(point >= 0, 1 << (point & POINT_MASK), 0)
        elif kind == e.PLANE_CLOCK:
            observed[index] = s[e.QUIET] >> (0 if source == 1 else CLOCK_SHIFT) & (e.CLOCK_DIGIT - 1)
        elif kind == e.PLANE_OPENING:
            observed[index] = where(is_start(t, start, s), 1, 0)
        else:
            observed[index] = earlier if kind == e.PLANE_EARLIER else player


@inlined
def is_start(t: Table, start: Any, s: Vectors) -> Vector:
    """The matches at the start of the game, see `rules.is_start`."""
    same = s[e.MEN] == start[e.MEN]
    if any_of(same):
        for place in range(t[e.T_STATE_SIZE]):
            if place != e.QUIET or t[e.T_NO_PROGRESS_LIMIT]:
                same = same & (s[place] == start[place])
    return same


@inlined
def reset(t: Table, start: Any, s: Vectors, flags: Vector) -> None:
    """Resets the matches whose flag is set."""
    for place in range(t[e.T_STATE_SIZE]):
        s[place] = where(flags, start[place], s[place])


@inlined
def _look(t: Table, w: Vectors, own: Vector, enemy: Vector, captured: Vector, barred: Vector) -> None:
    """Fills the scratch vectors that blocks read, except the pieces of the player to move."""
    w[EMPTY] = ~(own | enemy | barred) & t[e.T_ALL_POINTS]
    w[ENEMY] = enemy & ~captured


@inlined
def _find_captures(
    c: Table, player: Vector, w: Vectors, men: Vector, kings: Vector, chain: Vector, at_start: Vector
) -> Vector:
    """Fills the planes of captures; returns the origins that have any."""
    in_chain = chain >= 0
    only = 1 << (chain & POINT_MASK)
    first, following = c[C_SECTIONS] + SECTION_SIZE * e.FIRST_LEAP, c[C_SECTIONS] + SECTION_SIZE * e.NEXT_LEAP
    if c[C_SAME_LEAPS]:
        w[OWN_MEN] = where(at_start, 0, where(in_chain, men & only, men))
        w[OWN_KINGS] = where(at_start, 0, where(in_chain, kings & only, kings))
        return _run(c, player, w, first)
    w[OWN_MEN] = where(in_chain | at_start, 0, men)
    w[OWN_KINGS] = where(in_chain | at_start, 0, kings)
    found = _run(c, player, w, first)
    w[OWN_MEN] = where(in_chain, men & only, 0)
    w[OWN_KINGS] = where(in_chain, kings & only, 0)
    return found | _run(c, player, w, following)


@inlined
def _run(c: Table, player: Vector, w: Vectors, section: int) -> Vector:
    """Runs the blocks of a section; returns the origins that have an action."""
    block, end = c[section + BEGIN], c[section + END]
    if not any_of(w[OWN_KINGS] != 0):
        end = c[section + KINGS_BEGIN]
        _clear(c, w, c[section + KINGS_PLANE], c[section + END_PLANE])
    found = constant(w[OWN_MEN], 0)
    while block < end:
        left = _narrow(c, player, w, block)
        following = block + BLOCK_SIZE
        if c[block + WORDS] >= c[C_PLANES]:
            found = found | left
        if not c[block + IS_LAST] and not any_of(left != 0):
            _clear(c, w, c[block + SKIPPED], c[block + END_SKIPPED])
            following = c[block + SKIP]
        block = following
    return found


@inlined
def _narrow(c: Table, player: Vector, w: Vectors, block: int) -> Vector:
    """Runs a block; returns the origins that are left in any direction."""
    lanes = c[block + LANES]
    if not c[block + IS_SHARED]:
        return _narrow_by_player(c, player, w, block, lanes)
    if lanes == e.LANES:  # the compiler unrolls a loop of known length
        return _narrow_shared(c, w, block, e.LANES)
    return _narrow_shared(c, w, block, lanes)


@inlined
def _narrow_by_player(c: Table, player: Vector, w: Vectors, block: int, lanes: int) -> Vector:
    """Runs a block that differs between the players, or reads another vector in each direction."""
    parents, parents_step = c[block + PARENTS], c[block + PARENTS_STEP]
    sees, sees_step = c[block + SEES], c[block + SEES_STEP]
    any_left = constant(w[EMPTY], 0)
    for lane in range(lanes):
        row = block + ROWS + ROW_SIZE * lane
        seen = shifted(w[sees + sees_step * lane], of_player(player, c, row + DISTANCE))
        left = w[parents + parents_step * lane] & of_player(player, c, row + ORIGINS) & seen
        w[c[block + WORDS] + lane] = left
        any_left = any_left | left
    return any_left


@inlined
def _narrow_shared(c: Table, w: Vectors, block: int, lanes: int) -> Vector:
    """Runs a block that is equal for both players and reads one vector in all directions."""
    seen, parents, words = w[c[block + SEES]], c[block + PARENTS], c[block + WORDS]
    any_left = constant(seen, 0)
    if c[block + PARENTS_STEP] == 0:
        own = w[parents]
        for lane in range(lanes):
            row = block + ROWS + ROW_SIZE * lane
            left = own & c[row + ORIGINS] & shifted(seen, c[row + DISTANCE])
            w[words + lane] = left
            any_left = any_left | left
        return any_left
    for lane in range(lanes):
        row = block + ROWS + ROW_SIZE * lane
        left = w[parents + lane] & c[row + ORIGINS] & shifted(seen, c[row + DISTANCE])
        w[words + lane] = left
        any_left = any_left | left
    return any_left


@inlined
def _clear(c: Table, w: Vectors, first: int, end: int) -> None:
    """Empties some planes."""
    for plane in range(first, end):
        w[c[C_PLANES] + plane] = 0


@inlined
def _keep_opening(c: Table, player: Vector, w: Vectors, section: int, at_start: Vector) -> Vector:
    """In matches at the start, keeps the steps that the opening rule allows; returns their origins."""
    found = constant(w[EMPTY], 0)
    for plane in range(c[section + FIRST_PLANE], c[section + END_PLANE]):
        words = w[c[C_PLANES] + plane]
        kept = words & of_player(player, c, c[C_OPENS] + 2 * plane)
        w[c[C_PLANES] + plane] = where(at_start, kept, words)
        found = found | kept
    return found


@inlined
def _remember(t: Table, s: Vectors, forgotten: Vector, target: Vector, undo: Vector) -> None:
    """Clears the no-undo memory of pieces, and adds that of a simple step."""
    for lane in range(t[e.T_RELATIONS]):
        kept = s[e.MEMORY + lane] & ~forgotten
        s[e.MEMORY + lane] = where(undo == lane, kept | target, kept)
