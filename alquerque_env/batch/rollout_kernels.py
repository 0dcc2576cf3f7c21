"""Random matches by the SIMD kernels: compiled, one vector of matches after another; by NumPy, all at once."""

from typing import Any

import numpy as np

from ..engine.compiler import borrowed, entry_kernel
from ..engine.kernel_types import Array
from ..engine.rules_simd import VectorScratch, apply_action, by_player, choose, legal_actions, outcome, reset
from ..engine.simd_table import SimdArrays, SimdTable
from ..engine.words.numpy_words import any_of, constant, vectors_of
from ..game import state_layout as STATE
from ..game.kernel_arrays import JIT, aligned


def play_randomly(
    t: np.ndarray, table: SimdTable, first: np.ndarray, rng: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Plays `count` matches, each from `first` to its end.

    Args:
      t: The step table.
      first: int64 `[S]`, an ongoing state.
      rng: uint64 `[L]`, generator states; `L` matches are played at once, a multiple of the lanes of a vector.

    Returns:
      int8 `[count]`, outcomes coded as by `engine.rules.outcome`, and int32 `[count]`, numbers of actions.
    """
    outcomes, lengths = np.zeros(count, np.int8), np.zeros(count, np.int32)
    first = first.astype(table.kind)
    if JIT:
        scratch = aligned((table.num_vectors + 1, table.lanes), table.kind)
        states = aligned((len(first), table.lanes), table.kind)
        rngs = rng.view(np.int64).reshape(-1, table.lanes)
        play_vectors(t, table.arrays, first, states, scratch, rngs, outcomes, lengths)
    else:
        _play_arrays(t, table, first, rng, outcomes, lengths)
    return outcomes, lengths


@entry_kernel
def play_vectors(
    t: Any, table: SimdArrays, first: Array, states: Array, scratch: Array, rngs: Array, outcomes: Array, lengths: Array
) -> None:
    """Plays the matches of one vector after those of another.

    Args:
      states: `[S, lanes]`, overwritten.
      scratch: `[scratch vectors + 1, lanes]`, overwritten.
      rngs: `[groups, lanes]`.
      outcomes: `[count]`, overwritten; each lane plays every `groups * lanes`-th match.
      lengths: `[count]`, overwritten.
    """
    p_t, p_table, p_first = borrowed(t), borrowed(table), borrowed(first)
    c, p_maps, _ = p_table
    s, w, results = vectors_of(states), vectors_of(scratch), scratch[len(scratch) - 1]
    results_at = len(scratch) - 1
    lanes = states.shape[1]
    for group in range(len(rngs)):
        rng = borrowed(rngs[group])
        next_match = np.arange(group * lanes, (group + 1) * lanes)
        steps = np.zeros(lanes, np.int64)
        to_do = np.sum(next_match < len(outcomes))
        ended = s[0] == s[0]
        reset(p_t, p_first, s, ended)
        ended = ~ended
        step = 0
        found = VectorScratch(c, p_maps, w, s[STATE.PLAYER])
        legal_actions(p_t, s, found, w)
        actions = choose(p_t, found, rng)
        while to_do > 0:
            apply_action(p_t, s, VectorScratch(c, p_maps, w, s[STATE.PLAYER]), actions)
            reset(p_t, p_first, s, ended)
            step += 1
            found = VectorScratch(c, p_maps, w, s[STATE.PLAYER])
            movable = legal_actions(p_t, s, found, w) != 0
            actions = choose(p_t, found, rng)
            result = outcome(p_t, s, movable, constant(actions, 0))
            ended = result != 0
            if any_of(ended):
                w[results_at] = result
                for lane in range(lanes):
                    if results[lane] and next_match[lane] < len(outcomes):
                        outcomes[next_match[lane]] = results[lane]
                        lengths[next_match[lane]] = step - steps[lane]
                        next_match[lane] += len(rngs) * lanes
                        # The next step resets the lane to the first state.
                        steps[lane] = step + 1
                        to_do -= next_match[lane] >= len(outcomes)


def _play_arrays(t: Any, table: SimdTable, first: Array, rng: Array, outcomes: Array, lengths: Array) -> None:
    lanes = len(rng)
    s = np.repeat(first[:, None], lanes, axis=1)
    w = np.zeros((table.num_vectors, lanes), table.kind)
    actions, result = np.zeros(lanes, table.kind), np.zeros(lanes, table.kind)
    next_match, steps = np.arange(lanes), np.zeros(lanes, np.int64)
    ended = np.zeros(lanes, bool)
    _draw(t, table, s, w, rng, actions, result)
    step = 0
    while (next_match < len(outcomes)).any():
        for player, of_player in by_player(s):
            part = s[:, of_player]
            found = VectorScratch(table.codes, table.maps, w[:, : len(of_player)], player)
            apply_action(t, part, found, actions[of_player])
            s[:, of_player] = part
        s[:, ended] = first[:, None]
        step += 1
        _draw(t, table, s, w, rng, actions, result)
        ended = result != 0
        over = np.flatnonzero(ended & (next_match < len(outcomes)))
        outcomes[next_match[over]], lengths[next_match[over]] = result[over], step - steps[over]
        next_match[over] += lanes
        steps[over] = step + 1


def _draw(t: Any, table: SimdTable, s: Array, w: Array, rng: Array, actions: Array, result: Array) -> None:
    for player, of_player in by_player(s):
        part, scratch, states = s[:, of_player], w[:, : len(of_player)], rng[of_player]
        found = VectorScratch(table.codes, table.maps, scratch, player)
        movable = legal_actions(t, part, found, scratch) != 0
        actions[of_player] = choose(t, found, states)
        result[of_player] = outcome(t, part, movable, 0)
        rng[of_player] = states
