"""Plays random matches in columns: compiled, a vector of matches after the other; by NumPy, all at once."""

import numpy as np

from ..engine.compiler import kernel
from ..engine.rules_simd import apply, begin, choose, find_legal, outcome
from ..engine.simd_table import ColumnTable
from ..engine.words.numpy_words import any_of, columns_of, constant
from ..game import table_layout as e
from ..game.kernel_arrays import JIT, aligned
from ..game.ruleset import NORTH, SOUTH

if JIT:
    from ..engine.compiler import borrowed


def play_randomly(
    t: np.ndarray, table: ColumnTable, first: np.ndarray, rng: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Plays `count` matches, each from `first` to its end.

    Args:
      t: The step table.
      first: int64 `[S]`, an ongoing state.
      rng: uint64 `[L]`, states of the generators of so many matches in lock-step, a multiple of the lanes of a vector.

    Returns:
      int8 `[count]`, outcomes as `engine.outcome` codes them, and int32 `[count]`, numbers of actions.
    """
    outcomes, lengths = np.zeros(count, np.int8), np.zeros(count, np.int32)
    play = _play_vectors if JIT else _play_arrays
    play(t, table, first.astype(table.kind), rng, outcomes, lengths)
    return outcomes, lengths


def _play_vectors(t, table, first, rng, outcomes, lengths):
    scratch = aligned((table.num_columns + 1, table.lanes), table.kind)
    states = aligned((len(first), table.lanes), table.kind)
    rngs = rng.view(np.int64).reshape(-1, table.lanes)
    codes, maps, start = table.codes, table.maps, table.start
    play_vectors(t, codes, maps, start, first, states, scratch, rngs, outcomes, lengths)


@kernel
def play_vectors(t, codes, maps, start, first, states, scratch, rngs, outcomes, lengths):
    """Plays matches, those of one vector after those of another.

    Args:
      states: `[S, lanes]`, overwritten.
      scratch: `[scratch columns + 1, lanes]`, likewise.
      rngs: `[groups, lanes]`.
      outcomes: `[count]`, overwritten: each place of a vector plays every `groups * lanes`-th match.
      lengths: `[count]`, overwritten.
    """
    p_t, c, p_maps, p_start, p_first = borrowed(t), borrowed(codes), borrowed(maps), borrowed(start), borrowed(first)
    s, w, results = columns_of(states), columns_of(scratch), scratch[len(scratch) - 1]
    results_at = len(scratch) - 1
    lanes = states.shape[1]
    for group in range(len(rngs)):
        rng = borrowed(rngs[group])
        next_match = np.arange(group * lanes, (group + 1) * lanes)
        steps = np.zeros(lanes, np.int64)
        to_do = np.sum(next_match < len(outcomes))
        ended = s[0] == s[0]
        begin(p_t, p_first, s, ended)
        ended = ~ended
        step = 0
        find_legal(p_t, c, p_start, s[e.PLAYER], s, w)
        actions = choose(p_t, c, p_maps, s[e.PLAYER], w, rng)
        while to_do > 0:
            apply(p_t, c, p_maps, s[e.PLAYER], s, w, actions)
            begin(p_t, p_first, s, ended)
            step += 1
            movable = find_legal(p_t, c, p_start, s[e.PLAYER], s, w)
            actions = choose(p_t, c, p_maps, s[e.PLAYER], w, rng)
            result = outcome(p_t, s[e.PLAYER], s, movable, constant(actions, 0))
            ended = result != 0
            if any_of(ended):
                w[results_at] = result
                for lane in range(lanes):
                    if results[lane] and next_match[lane] < len(outcomes):
                        outcomes[next_match[lane]] = results[lane]
                        lengths[next_match[lane]] = step - steps[lane]
                        next_match[lane] += len(rngs) * lanes
                        # The next step begins the match that follows.
                        steps[lane] = step + 1
                        to_do -= next_match[lane] >= len(outcomes)


def _play_arrays(t, table, first, rng, outcomes, lengths):
    lanes = len(rng)
    s = np.repeat(first[:, None], lanes, axis=1)
    w = np.zeros((table.num_columns, lanes), table.kind)
    actions, result = np.zeros(lanes, table.kind), np.zeros(lanes, table.kind)
    next_match, steps = np.arange(lanes), np.zeros(lanes, np.int64)
    ended = np.zeros(lanes, bool)
    _draw(t, table, s, w, rng, actions, result)
    step = 0
    while (next_match < len(outcomes)).any():
        for player, of_player in by_player(s):
            part = s[:, of_player]
            apply(t, table.codes, table.maps, player, part, w[:, : len(of_player)], actions[of_player])
            s[:, of_player] = part
        s[:, ended] = first[:, None]
        step += 1
        _draw(t, table, s, w, rng, actions, result)
        ended = result != 0
        over = np.flatnonzero(ended & (next_match < len(outcomes)))
        outcomes[next_match[over]], lengths[next_match[over]] = result[over], step - steps[over]
        next_match[over] += lanes
        steps[over] = step + 1


def _draw(t, table, s, w, rng, actions, result):
    for player, of_player in by_player(s):
        part, scratch, states = s[:, of_player], w[:, : len(of_player)], rng[of_player]
        movable = find_legal(t, table.codes, table.start, player, part, scratch)
        actions[of_player] = choose(t, table.codes, table.maps, player, scratch, states)
        result[of_player] = outcome(t, player, part, movable, 0)
        rng[of_player] = states


def by_player(s: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Which matches of columns `[S, B]` each player is to move in, players without a match left out."""
    found = [(player, np.flatnonzero(s[e.PLAYER] == player)) for player in (SOUTH, NORTH)]
    return [(player, matches) for player, matches in found if len(matches)]
