"""Kernels that play many random matches, one after another."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.compiler import borrowed, entry_kernel
from ..engine.kernel_types import Array
from ..engine.random_play import play_out
from ..engine.rules_scalar import copy_state
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.kernel_arrays import copied, step_words, words

if TYPE_CHECKING:
    from ..match.match import Match  # would be imported a second time for plain kernels

LONGEST_QUIET_PLAY = 1 << 16
"""Plies without progress after which a match counts as a draw in a game with a repetition rule and no limit of them."""


def play_randomly(match: "Match", count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Plays a match to its end `count` times; returns int8 `[N]`, the outcomes, and int32 `[N]`, numbers of actions."""
    t = step_words(match.game.table)
    outcomes, lengths = np.zeros(count, np.int8), np.zeros(count, np.int32)
    limit = int(t[TABLE.NO_PROGRESS_LIMIT]) or LONGEST_QUIET_PLAY
    past = match.keys(max(limit, int(match.state[STATE.QUIET])) + 2) if t[TABLE.THREEFOLD] else words(1)
    scratch, actions = words(t[TABLE.SCRATCH_SIZE]), words(match.game.num_actions)
    start = copied(match.state)
    play_all(t, start, copied(start), scratch, actions, copied(past), copied(past), copied([seed]), outcomes, lengths)
    return outcomes, lengths


@entry_kernel
def play_all(
    t: Any, start: Array, state: Array, scratch: Array, actions: Array, past: Array, keys: Array, rng: Array,
    outcomes: Array, lengths: Array,
) -> None:  # fmt: skip
    """As `play_randomly`, from `start` and the hashes `past` of its earlier positions; the others are room."""
    p_t, p_start, p_s, p_w, p_actions = (
        borrowed(t),
        borrowed(start),
        borrowed(state),
        borrowed(scratch),
        borrowed(actions),
    )
    p_past, p_keys, p_rng = borrowed(past), borrowed(keys), borrowed(rng)
    p_outcomes, p_lengths = borrowed(outcomes), borrowed(lengths)
    for game in range(len(outcomes)):
        copy_state(p_t, p_start, p_s)
        if p_t[TABLE.THREEFOLD]:
            for clock in range(p_s[STATE.QUIET] + 1):
                p_keys[clock] = p_past[clock]
        p_outcomes[game], p_lengths[game] = play_out(p_t, p_s, p_w, p_actions, p_keys, len(keys), p_rng)
