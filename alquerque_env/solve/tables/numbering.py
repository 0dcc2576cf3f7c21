"""Numbers positions and finds them again by their numbers.

`t` is the step table of the game, `x` the index, laid out as in `layout.py`; `s` is a state at the beginning of a turn.
Sets of points are numbered in colexicographic order (Knuth, The Art of Computer Programming 4A, 7.2.1.3).
"""

from ...engine.compiler import inlined, kernel, lowest, nth_bit, popcount
from ...game import table_layout as e
from .index_layout import *


@inlined
def ways(x, points, count):
    """Number of sets of `count` of `points` points."""
    return x[x[X_BINOMIALS] + points * (x[X_POINTS] + 1) + count]


@inlined
def rank(x, word, holes):
    """The number of a set of points among those of its size, if the points of `holes` are left out."""
    number = 0
    count = 0
    while word:
        point = lowest(word)
        count += 1
        number += ways(x, point - popcount(holes & ((1 << point) - 1)), count)
        word &= word - 1
    return number


@inlined
def unrank(x, number, places, count):
    """The set of `count` of the points of `places` that has a number."""
    place = popcount(places)
    word = 0
    while count > 0:
        place -= 1
        while ways(x, place, count) > number:
            place -= 1
        number -= ways(x, place, count)
        word |= 1 << nth_bit(places, place)
        count -= 1
    return word


@inlined
def view_of(x, view, word):
    """A set of points as it is seen in a view."""
    place = x[X_VIEWS] + view * x[X_BYTES] * BYTE
    seen = 0
    while word:
        seen |= x[place + (word & BYTE - 1)]
        word >>= 8
        place += BYTE
    return seen


@inlined
def slice_of(x, player, own_men, own_kings, enemy_men, enemy_kings):
    """Where the row of a slice stands, or -1 where the table does not reach."""
    sides = x[X_SIDES]
    if own_men >= sides or own_kings >= sides or enemy_men >= sides or enemy_kings >= sides:
        return -1
    side = 0 if x[X_IS_SYMMETRIC] else player
    key = (((side * sides + own_men) * sides + own_kings) * sides + enemy_men) * sides + enemy_kings
    return x[x[X_SLICES] + key]


@inlined
def slice_at(x, s):
    """Where the row of the slice of a position stands, or -1 where the table does not reach."""
    player = s[e.PLAYER]
    return slice_of(
        x,
        player,
        popcount(s[e.MEN + player]),
        popcount(s[e.KINGS + player]),
        popcount(s[e.MEN + 1 - player]),
        popcount(s[e.KINGS + 1 - player]),
    )


@kernel
def number_of(t, x, s):
    """The number of a position, or -1 where the table does not reach. Both players must have pieces.

    Where several symmetries bring the mover's points to those that represent their orbit, it is the least number.
    """
    row = slice_at(x, s)
    if row < 0:
        return -1
    player = s[e.PLAYER]
    own = s[e.MEN + player] | s[e.KINGS + player]
    first = x[X_SYMMETRIES] if x[X_IS_SYMMETRIC] and player == 1 else 0
    entry = x[x[X_ORBITS + popcount(own)] + rank(x, view_of(x, first, own), 0)]
    orbit = entry >> ORBIT_AT
    number = _number_in_view(t, x, s, row, first + (entry & VIEW_MASK), orbit)
    if entry & IS_FIXED and number >= 0:
        seen = x[x[X_REPRESENTATIVES + popcount(own)] + orbit]
        for view in range(first, first + x[X_SYMMETRIES]):
            if view_of(x, view, own) == seen:
                number = min(number, _number_in_view(t, x, s, row, view, orbit))
    return number


@kernel
def _number_in_view(t, x, s, row, view, orbit):
    """The number of a position if the board is seen in a view; -1 if its pieces remember what they cannot."""
    player = s[e.PLAYER]
    own = view_of(x, view, s[e.MEN + player] | s[e.KINGS + player])
    enemy = view_of(x, view, s[e.MEN + 1 - player] | s[e.KINGS + 1 - player])
    number = orbit * x[row + ENEMIES] + rank(x, enemy, own)
    if x[row + OWN_CROWNS] > 1:
        number = number * x[row + OWN_CROWNS] + rank(x, view_of(x, view, s[e.KINGS + player]), ~own)
    if x[row + ENEMY_CROWNS] > 1:
        number = number * x[row + ENEMY_CROWNS] + rank(x, view_of(x, view, s[e.KINGS + 1 - player]), ~enemy)
    if x[X_MEMORY] != NO_MEMORY:
        own_memory = _memory_number(t, x, s, player, view, own)
        enemy_memory = _memory_number(t, x, s, 1 - player, view, enemy)
        if own_memory < 0 or enemy_memory < 0:
            return -1
        number = (number * x[row + OWN_MEMORIES] + own_memory) * x[row + ENEMY_MEMORIES] + enemy_memory
    return x[row + BASE] + number


@kernel
def _memory_number(t, x, s, player, view, seen):
    """The number of what the pieces of a player remember, or -1 where that cannot come about."""
    number = 0
    pieces = s[e.MEN + player] | s[e.KINGS + player]
    side = x[X_IS_SYMMETRIC] * (player ^ s[e.PLAYER]) + (1 - x[X_IS_SYMMETRIC]) * player
    while pieces:
        point = lowest(pieces)
        pieces &= pieces - 1
        memory = remembered(t, s, point)
        if memory == 0:
            continue
        place = x[x[X_PLACES] + view * x[X_POINTS] + point]
        code = _memory_code(x, side, place, view_of(x, view, memory))
        if code < 0:
            return -1
        order = popcount(seen & ((1 << place) - 1))
        if x[X_MEMORY] == OF_ONE:
            if number:
                return -1
            number = 1 + order * (x[X_RADIX] - 1) + code - 1
        else:
            for _ in range(order):
                code *= x[X_RADIX]
            number += code
    return number


@inlined
def remembered(t, s, point):
    """The points that the piece on a point remembers."""
    if t[e.T_REMEMBERS_POINTS]:
        return s[e.MEMORY_POINTS + point]
    memory = 0
    for relation in range(t[e.T_RELATIONS]):
        if s[e.MEMORY + relation] >> point & 1:
            memory |= 1 << t[t[e.T_RELATION_TARGET] + relation * t[e.T_POINTS] + point]
    return memory


@inlined
def _memory_code(x, side, place, memory):
    """Which of the memories of a piece on a point this is, or -1."""
    first = x[x[X_MEMORIES] + side * x[X_POINTS] + place]
    for code in range(x[first]):
        if x[first + 1 + code] == memory:
            return code
    return -1


@kernel
def set_up(t, x, row, number, s):
    """Sets a state up for a number within a slice; tells whether there is a position of that number."""
    wanted = number
    own_memory = 0
    enemy_memory = 0
    if x[X_MEMORY] != NO_MEMORY:
        enemy_memory = number % x[row + ENEMY_MEMORIES]
        number //= x[row + ENEMY_MEMORIES]
        own_memory = number % x[row + OWN_MEMORIES]
        number //= x[row + OWN_MEMORIES]
    enemy_crown = 0
    if x[row + ENEMY_CROWNS] > 1:
        enemy_crown = number % x[row + ENEMY_CROWNS]
        number //= x[row + ENEMY_CROWNS]
    own_crown = 0
    if x[row + OWN_CROWNS] > 1:
        own_crown = number % x[row + OWN_CROWNS]
        number //= x[row + OWN_CROWNS]
    own_count = x[row + OWN_MEN] + x[row + OWN_KINGS]
    orbit = number // x[row + ENEMIES]
    own = x[x[X_REPRESENTATIVES + own_count] + orbit]
    vacant = x[X_ALL_POINTS] & ~own
    enemy = unrank(x, number - orbit * x[row + ENEMIES], vacant, x[row + ENEMY_MEN] + x[row + ENEMY_KINGS])
    own_kings = unrank(x, own_crown, own, x[row + OWN_KINGS])
    enemy_kings = unrank(x, enemy_crown, enemy, x[row + ENEMY_KINGS])
    for place in range(t[e.T_STATE_SIZE]):
        s[place] = 0
    player = x[row + PLAYER]
    s[e.MEN + player] = own & ~own_kings
    s[e.KINGS + player] = own_kings
    s[e.MEN + 1 - player] = enemy & ~enemy_kings
    s[e.KINGS + 1 - player] = enemy_kings
    s[e.PLAYER] = player
    s[e.CHAIN] = e.NO_POINT
    if x[X_MEMORY] != NO_MEMORY and not (
        remind(t, x, s, player, own_memory) and remind(t, x, s, 1 - player, enemy_memory)
    ):
        return False
    if x[x[X_ORBITS + own_count] + rank(x, own, 0)] & IS_FIXED:
        return number_of(t, x, s) == x[row + BASE] + wanted
    return True


@kernel
def remind(t, x, s, player, number):
    """Lets the pieces of a player remember what has a number; tells whether they can. They must not remember yet."""
    pieces = s[e.MEN + player] | s[e.KINGS + player]
    if x[X_MEMORY] == OF_ONE:
        if number == 0:
            return True
        order = (number - 1) // (x[X_RADIX] - 1)
        return _remind_piece(t, x, s, player, nth_bit(pieces, order), (number - 1) % (x[X_RADIX] - 1) + 1)
    while number:
        code = number % x[X_RADIX]
        number //= x[X_RADIX]
        if code and not _remind_piece(t, x, s, player, lowest(pieces), code):
            return False
        pieces &= pieces - 1
    return True


@inlined
def _remind_piece(t, x, s, player, point, code):
    first = x[x[X_MEMORIES] + player * x[X_POINTS] + point]
    if code >= x[first]:
        return False
    memory = x[first + 1 + code]
    if t[e.T_REMEMBERS_POINTS]:
        s[e.MEMORY_POINTS + point] = memory
    for relation in range(t[e.T_RELATIONS]):
        other = t[t[e.T_RELATION_TARGET] + relation * t[e.T_POINTS] + point]
        if other >= 0 and memory >> other & 1:
            s[e.MEMORY + relation] |= 1 << point
    return True


@kernel
def forget_all(t, s, player):
    """Clears what the pieces of a player remember."""
    pieces = s[e.MEN + player] | s[e.KINGS + player]
    for relation in range(t[e.T_RELATIONS]):
        s[e.MEMORY + relation] &= ~pieces
    if t[e.T_REMEMBERS_POINTS]:
        for point in range(t[e.T_POINTS]):
            if pieces >> point & 1:
                s[e.MEMORY_POINTS + point] = 0
