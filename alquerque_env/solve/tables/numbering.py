"""Numbers positions and sets positions up from their numbers.

In all kernels of tables, `t` is the step table of the game, `x` the index as laid out in `index_layout.py`, and `s` a
state at the start of a turn. Sets of points are numbered in colexicographic order (Knuth, The Art of Computer
Programming 4A, 7.2.1.3).
"""

from ...engine import rules_scalar as rules
from ...engine.compiler import entry_kernel, inlined, kernel, lowest, nth_bit, popcount
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from . import index_layout as INDEX


@inlined
def binomial(x: Table, points: int, count: int) -> int:
    """Number of sets of `count` of `points` points."""
    return x[x[INDEX.BINOMIALS] + points * (x[INDEX.POINTS] + 1) + count]


@inlined
def rank(x: Table, word: int, holes: int) -> int:
    """Number of a set of points among the sets of its size that avoid the points of `holes`."""
    number = 0
    count = 0
    while word:
        point = lowest(word)
        count += 1
        number += binomial(x, point - popcount(holes & ((1 << point) - 1)), count)
        word &= word - 1
    return number


@inlined
def unrank(x: Table, number: int, places: int, count: int) -> int:
    """The set with a number among the sets of `count` of the points of `places`."""
    place = popcount(places)
    word = 0
    while count > 0:
        place -= 1
        while binomial(x, place, count) > number:
            place -= 1
        number -= binomial(x, place, count)
        word |= 1 << nth_bit(places, place)
        count -= 1
    return word


@inlined
def view_of(x: Table, view: int, word: int) -> int:
    """A set of points, permuted as a view says."""
    place = x[INDEX.VIEWS] + view * x[INDEX.BYTES] * INDEX.BYTE
    seen = 0
    while word:
        seen |= x[place + (word & INDEX.BYTE - 1)]
        word >>= 8
        place += INDEX.BYTE
    return seen


@inlined
def slice_at(x: Table, s: Table) -> int:
    """Where the row of the slice of a position begins, or -1 if the position is not in the table."""
    player = s[STATE.PLAYER]
    own_men = popcount(s[STATE.MEN + player])
    own_kings = popcount(s[STATE.KINGS + player])
    enemy_men = popcount(s[STATE.MEN + 1 - player])
    enemy_kings = popcount(s[STATE.KINGS + 1 - player])
    sides = x[INDEX.SIDES]
    if own_men >= sides or own_kings >= sides or enemy_men >= sides or enemy_kings >= sides:
        return -1
    side = 0 if x[INDEX.IS_SYMMETRIC] else player
    key = (((side * sides + own_men) * sides + own_kings) * sides + enemy_men) * sides + enemy_kings
    return x[x[INDEX.SLICES] + key]


@inlined
def closed_points(t: Table, s: Table) -> int:
    """The points that are closed where the pieces stand so at the end of a turn."""
    return rules.closed_points(t, s[STATE.MEN] | s[STATE.KINGS] | s[STATE.MEN + 1] | s[STATE.KINGS + 1])


@kernel
def number_of(t: Table, x: Table, s: Table) -> int:
    """The number of a position in which both players have pieces, or -1 if the position is not in the table.

    Positions in which the schedule of the game goes on, or an empty part of a board that shrinks is open, are in no
    table.

    Where several symmetries map the mover's points to the representative of their orbit, it is the smallest number.
    """
    row = slice_at(x, s)
    if row < 0 or (t[TABLE.STAGES] and s[t[TABLE.STAGE]] < t[TABLE.STAGES]):
        return -1
    if t[TABLE.NUM_PARTS] and s[t[TABLE.CLOSED]] != closed_points(t, s):
        return -1
    player = s[STATE.PLAYER]
    own = s[STATE.MEN + player] | s[STATE.KINGS + player]
    first = x[INDEX.SYMMETRIES] if x[INDEX.IS_SYMMETRIC] and player == 1 else 0
    entry = x[x[INDEX.ORBITS + popcount(own)] + rank(x, view_of(x, first, own), 0)]
    orbit = entry >> INDEX.ORBIT_AT
    number = _number_in_view(t, x, s, row, first + (entry & INDEX.VIEW_MASK), orbit)
    if entry & INDEX.IS_FIXED and number >= 0:
        seen = x[x[INDEX.REPRESENTATIVES + popcount(own)] + orbit]
        for view in range(first, first + x[INDEX.SYMMETRIES]):
            if view_of(x, view, own) == seen:
                number = min(number, _number_in_view(t, x, s, row, view, orbit))
    return number


@kernel
def _number_in_view(t: Table, x: Table, s: Table, row: int, view: int, orbit: int) -> int:
    """The number of a position with the board permuted; -1 if a piece has a memory that cannot arise."""
    player = s[STATE.PLAYER]
    own = view_of(x, view, s[STATE.MEN + player] | s[STATE.KINGS + player])
    enemy = view_of(x, view, s[STATE.MEN + 1 - player] | s[STATE.KINGS + 1 - player])
    number = orbit * x[row + INDEX.ENEMY_SETS] + rank(x, enemy, own)
    if x[row + INDEX.OWN_KING_SETS] > 1:
        number = number * x[row + INDEX.OWN_KING_SETS] + rank(x, view_of(x, view, s[STATE.KINGS + player]), ~own)
    if x[row + INDEX.ENEMY_KING_SETS] > 1:
        number = number * x[row + INDEX.ENEMY_KING_SETS] + rank(
            x, view_of(x, view, s[STATE.KINGS + 1 - player]), ~enemy
        )
    if x[INDEX.MEMORY] != INDEX.NO_MEMORY:
        own_memory = _memory_number(t, x, s, player, view, own)
        enemy_memory = _memory_number(t, x, s, 1 - player, view, enemy)
        if own_memory < 0 or enemy_memory < 0:
            return -1
        number = (number * x[row + INDEX.OWN_MEMORIES] + own_memory) * x[row + INDEX.ENEMY_MEMORIES] + enemy_memory
    return x[row + INDEX.BASE] + number


@kernel
def _memory_number(t: Table, x: Table, s: Table, player: int, view: int, seen: int) -> int:
    """The number of the memories of a player's pieces, or -1 if they cannot arise."""
    number = 0
    pieces = s[STATE.MEN + player] | s[STATE.KINGS + player]
    # A game that looks the same from both sides is seen with the player to move as South.
    side = x[INDEX.IS_SYMMETRIC] * (player ^ s[STATE.PLAYER]) + (1 - x[INDEX.IS_SYMMETRIC]) * player
    while pieces:
        point = lowest(pieces)
        pieces &= pieces - 1
        memory = memory_of(t, s, point)
        if memory == 0:
            continue
        place = x[x[INDEX.PLACES] + view * x[INDEX.POINTS] + point]
        code = _memory_code(x, side, place, view_of(x, view, memory))
        if code < 0:
            return -1
        order = popcount(seen & ((1 << place) - 1))
        if x[INDEX.MEMORY] == INDEX.OF_ONE:
            if number:
                return -1
            number = 1 + order * (x[INDEX.RADIX] - 1) + code - 1
        else:
            for _ in range(order):
                code *= x[INDEX.RADIX]
            number += code
    return number


@entry_kernel
def memory_of(t: Table, s: Table, point: int) -> int:
    """The points to which the piece on a point may not step, as a bitboard."""
    if t[TABLE.REMEMBERS_POINTS]:
        return s[STATE.MEMORY_POINTS + point]
    memory = 0
    for relation in range(t[TABLE.RELATIONS]):
        if s[STATE.MEMORY + relation] >> point & 1:
            memory |= 1 << t[t[TABLE.RELATION_TARGET] + relation * t[TABLE.POINTS] + point]
    return memory


@inlined
def _memory_code(x: Table, side: int, place: int, memory: int) -> int:
    """The index of a memory among those of a piece on a point, or -1."""
    first = x[x[INDEX.MEMORIES] + side * x[INDEX.POINTS] + place]
    for code in range(x[first]):
        if x[first + 1 + code] == memory:
            return code
    return -1


@entry_kernel
def set_up(t: Table, x: Table, row: int, number: int, s: Words) -> bool:
    """Sets a state up from a number within a slice; returns whether a position has that number."""
    wanted = number
    own_memory = 0
    enemy_memory = 0
    if x[INDEX.MEMORY] != INDEX.NO_MEMORY:
        enemy_memory = number % x[row + INDEX.ENEMY_MEMORIES]
        number //= x[row + INDEX.ENEMY_MEMORIES]
        own_memory = number % x[row + INDEX.OWN_MEMORIES]
        number //= x[row + INDEX.OWN_MEMORIES]
    enemy_king_set = 0
    if x[row + INDEX.ENEMY_KING_SETS] > 1:
        enemy_king_set = number % x[row + INDEX.ENEMY_KING_SETS]
        number //= x[row + INDEX.ENEMY_KING_SETS]
    own_king_set = 0
    if x[row + INDEX.OWN_KING_SETS] > 1:
        own_king_set = number % x[row + INDEX.OWN_KING_SETS]
        number //= x[row + INDEX.OWN_KING_SETS]
    own_count = x[row + INDEX.OWN_MEN] + x[row + INDEX.OWN_KINGS]
    orbit = number // x[row + INDEX.ENEMY_SETS]
    own = x[x[INDEX.REPRESENTATIVES + own_count] + orbit]
    vacant = x[INDEX.ALL_POINTS] & ~own
    enemy = unrank(
        x, number - orbit * x[row + INDEX.ENEMY_SETS], vacant, x[row + INDEX.ENEMY_MEN] + x[row + INDEX.ENEMY_KINGS]
    )
    own_kings = unrank(x, own_king_set, own, x[row + INDEX.OWN_KINGS])
    enemy_kings = unrank(x, enemy_king_set, enemy, x[row + INDEX.ENEMY_KINGS])
    for place in range(t[TABLE.STATE_SIZE]):
        s[place] = 0
    player = x[row + INDEX.PLAYER]
    s[STATE.MEN + player] = own & ~own_kings
    s[STATE.KINGS + player] = own_kings
    s[STATE.MEN + 1 - player] = enemy & ~enemy_kings
    s[STATE.KINGS + 1 - player] = enemy_kings
    s[STATE.PLAYER] = player
    s[STATE.CHAIN] = STATE.NO_POINT
    if t[TABLE.STAGES]:
        s[t[TABLE.STAGE]] = t[TABLE.STAGES]
    if t[TABLE.NUM_PARTS]:
        s[t[TABLE.CLOSED]] = closed_points(t, s)
    if x[INDEX.MEMORY] != INDEX.NO_MEMORY and not (
        set_memory(t, x, s, player, own_memory) and set_memory(t, x, s, 1 - player, enemy_memory)
    ):
        return False
    # A symmetry that keeps the mover's points gives a position several numbers. Only the smallest one is used.
    if x[x[INDEX.ORBITS + own_count] + rank(x, own, 0)] & INDEX.IS_FIXED:
        return number_of(t, x, s) == x[row + INDEX.BASE] + wanted
    return True


@kernel
def set_memory(t: Table, x: Table, s: Words, player: int, number: int) -> bool:
    """Sets the memories of a player's pieces, all empty before, from a number; returns whether they can have them."""
    pieces = s[STATE.MEN + player] | s[STATE.KINGS + player]
    if x[INDEX.MEMORY] == INDEX.OF_ONE:
        if number == 0:
            return True
        order = (number - 1) // (x[INDEX.RADIX] - 1)
        return _set_piece_memory(t, x, s, player, nth_bit(pieces, order), (number - 1) % (x[INDEX.RADIX] - 1) + 1)
    while number:
        code = number % x[INDEX.RADIX]
        number //= x[INDEX.RADIX]
        if code and not _set_piece_memory(t, x, s, player, lowest(pieces), code):
            return False
        pieces &= pieces - 1
    return True


@inlined
def _set_piece_memory(t: Table, x: Table, s: Words, player: int, point: int, code: int) -> bool:
    first = x[x[INDEX.MEMORIES] + player * x[INDEX.POINTS] + point]
    if code >= x[first]:
        return False
    memory = x[first + 1 + code]
    if t[TABLE.REMEMBERS_POINTS]:
        s[STATE.MEMORY_POINTS + point] = memory
    for relation in range(t[TABLE.RELATIONS]):
        other = t[t[TABLE.RELATION_TARGET] + relation * t[TABLE.POINTS] + point]
        if other >= 0 and memory >> other & 1:
            s[STATE.MEMORY + relation] |= 1 << point
    return True


@kernel
def clear_memory(t: Table, s: Words, player: int) -> None:
    """Clears the memories of a player's pieces."""
    pieces = s[STATE.MEN + player] | s[STATE.KINGS + player]
    for relation in range(t[TABLE.RELATIONS]):
        s[STATE.MEMORY + relation] &= ~pieces
    if t[TABLE.REMEMBERS_POINTS]:
        for point in range(t[TABLE.POINTS]):
            if pieces >> point & 1:
                s[STATE.MEMORY_POINTS + point] = 0
