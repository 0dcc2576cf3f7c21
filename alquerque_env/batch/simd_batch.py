"""Many matches of one game in lock-step, played in columns by compiled kernels (see `columns/`)."""

import numpy as np

from ..engine import rules as e
from ..engine.compiler import borrowed, inlined, kernel, spread_word
from ..engine.rules_simd import apply, begin, find_legal, observe, outcome
from ..engine.simd_layout import C_MARKED, MARKED
from ..engine.simd_table import ColumnTable
from ..engine.words.simd_words import any_of, columns_of, constant, where
from ..game.game import Game
from ..game.kernel_arrays import aligned
from .mask_bits import in_frame, mark
from .scalar_batch import Lockstep
from .step_result import BEGIN, NO_WINNER, PLAY, Frame

# What is given and told of a vector of matches stands in columns too.
ACTION, ORDER, REWARD, OUTCOME, WINNER, TOLD = range(6)


class ColumnLockstep(Lockstep):
    """`num_games` matches of a game, under rules that columns can play and that do not look at repetition.

    Attributes:
      states: `[B, S]`, a view of the columns; else as in `Lockstep`.
    """

    def __init__(self, game: Game, table: ColumnTable, num_games: int) -> None:
        super().__init__(game, num_games)
        size, lanes = len(table.start), table.lanes
        self._columns = table
        # A row of vectors for each word of the state, an odd number of them: rows whose distance is a power of two lie
        # at the same places of the processor's cache. Nobody looks at the matches behind the last one.
        self._vectors = aligned((size, (-(-num_games // lanes) | 1) * lanes), table.kind)
        self.states = self._vectors[:, :num_games].T
        shapes = ((count, lanes) for count in (size, table.num_columns, TOLD, self.shape[0]))
        self._room = tuple(aligned(shape, table.kind) for shape in shapes)

    def _step_into(self, frame: Frame, actions: np.ndarray, orders: np.ndarray) -> None:
        table = self._columns
        given = self.table, table.codes, table.maps, table.start
        step_vectors(*given, self._vectors, self.legal.view(np.int32), *self._room, actions, orders, *frame)


@kernel
def step_vectors(
    t, codes, maps, start, vectors, legal, state, scratch, told, planes,
    actions, orders, observation, mask, player, reward, outcomes, winner,
):  # fmt: skip
    """Does in every match what it is ordered to: see `Lockstep.step`.

    Args:
      vectors: `[S, vectors * lanes]`, the states.
      legal: `[B, L]`, the legal actions as bits, MARKED to a word.
      state: `[S, lanes]`, overwritten, as are `scratch`, `told` and `planes`.
    """
    p_t, c, p_maps, p_start = borrowed(t), borrowed(codes), borrowed(maps), borrowed(start)
    before, s, w = columns_of(vectors), columns_of(state), columns_of(scratch)
    x, shown = columns_of(told), columns_of(planes)
    p_actions, p_orders, p_told, p_state = borrowed(actions), borrowed(orders), borrowed(told), borrowed(state)
    p_player, p_reward, p_outcomes, p_winner = borrowed(player), borrowed(reward), borrowed(outcomes), borrowed(winner)
    p_legal, p_marked, p_mask = borrowed(legal), borrowed(scratch[codes[C_MARKED] :]), borrowed(mask.reshape(-1))
    p_planes, p_observation = borrowed(planes), borrowed(observation.reshape(-1))
    lanes = state.shape[1]
    row = vectors.shape[1] // lanes
    for vector in range((len(actions) + lanes - 1) // lanes):
        first = vector * lanes
        count = min(lanes, len(actions) - first)
        for lane in range(count):
            p_told[ACTION][lane] = p_actions[first + lane]
            p_told[ORDER][lane] = p_orders[first + lane]
        for place in range(len(state)):
            s[place] = before[place * row + vector]
        mover = s[e.PLAYER]
        plays = x[ORDER] == PLAY
        apply(p_t, c, p_maps, mover, s, w, where(plays, x[ACTION], 0))
        if any_of(~plays):
            for place in range(len(state)):
                s[place] = where(plays, s[place], before[place * row + vector])
            begin(p_t, p_start, s, x[ORDER] == BEGIN)
        for place in range(len(state)):
            before[place * row + vector] = s[place]
        _judge(p_t, c, p_start, mover, plays, s, w, x)
        _show(p_t, p_start, s, shown)
        for lane in range(count):
            game = first + lane
            p_player[game] = p_state[e.PLAYER][lane]
            p_reward[game] = p_told[REWARD][lane]
            p_outcomes[game] = p_told[OUTCOME][lane]
            p_winner[game] = p_told[WINNER][lane]
            place = game * mask.shape[1]
            _write_mask(p_marked, lane, p_legal[game], p_mask, place, mask.shape[1], mask.size - place)
            place = game * observation[0].size
            _write_observation(p_t, p_planes, lane, p_observation, place, observation.size - place)


@inlined
def _judge(t, c, start, mover, plays, s, w, x):
    """Marks what is legal; tells how the matches stand."""
    player = s[e.PLAYER]
    nothing = constant(player, 0)
    movable = find_legal(t, c, start, player, s, w)
    result = outcome(t, player, s, movable, nothing)
    mark(t, c, player, w, result == e.ONGOING)
    decided = (result != e.ONGOING) & (result & 3 != e.NOBODY)
    x[OUTCOME] = result
    x[WINNER] = where(decided, result & 3, NO_WINNER)
    x[REWARD] = where(decided & plays, where(result & 3 == mover, constant(result, 1), -1), 0)


@inlined
def _show(t, start, s, planes):
    """Fills the columns of the planes, as the player to move sees them."""
    observe(t, start, s, constant(s[e.PLAYER], 0), planes)
    for index in range(t[e.T_NUM_PLANES]):
        if t[t[e.T_PLANES] + e.PLANE_SIZE * index + e.PLANE_KIND] <= e.PLANE_POINT:
            planes[index] = in_frame(t, s[e.PLAYER], planes[index])


@inlined
def _write_mask(marked, lane, legal, mask, place, num_actions, room):
    """Writes the legal actions of one match, as bits and as bytes."""
    for index in range((num_actions + MARKED - 1) // MARKED):
        word = marked[index][lane]
        legal[index] = word
        spread_word(mask, place, word, min(MARKED, num_actions), room)
        place += MARKED
        num_actions -= MARKED
        room -= MARKED


@inlined
def _write_observation(t, planes, lane, observation, place, room):
    """Writes the observation of one match."""
    points = t[e.T_POINTS]
    for index in range(t[e.T_NUM_PLANES]):
        value = planes[index][lane]
        if t[t[e.T_PLANES] + e.PLANE_SIZE * index + e.PLANE_KIND] <= e.PLANE_POINT:
            spread_word(observation, place, value, points, room)
        else:
            for point in range(points):
                observation[place + point] = value
        place += points
        room -= points
