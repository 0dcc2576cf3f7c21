"""Random play of one match: legal actions are counted and one is drawn, which is faster than to list them.

Arguments are as in `rules_scalar.py`. The exported player carries this file.
"""

from collections.abc import Callable

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.outcomes import NO_PROGRESS, NOBODY, ONGOING
from . import moves as moves_text, rules as rules_text
from .binding import bind
from .compiler import kernel
from .kernel_types import Table, Words
from .rules_scalar import apply_action, earlier_occurrences, is_start, legal_actions, outcome, random_below
from .words import integers

_KIND = globals(), integers, moves_text

pick_action: Callable[[Table, Words, int, int, int], int] = bind(moves_text.pick_action, *_KIND)
_count_actions: Callable[[Table, Table, Words, Words], int] = bind(
    rules_text.legal_actions,
    *_KIND,
    list_actions=moves_text.count_actions,
    add_pass=moves_text.count_pass,
    keep_best=moves_text.keep_all,
)


@kernel
def sample_action(t: Table, s: Table, w: Words, actions: Words, rng: Words) -> tuple[int, int]:
    """Draws a legal action uniformly; returns it and the number of legal actions, `(-1, 0)` if there is none.

    Under rules that compare actions with each other, and in the opening, actions are listed.
    """
    if t[TABLE.COMPARES] or (t[TABLE.HAS_OPENING] and is_start(t, s)):
        n = legal_actions(t, s, w, actions)
        return actions[random_below(rng, n)] if n else -1, n
    player = s[STATE.PLAYER]
    captures = TABLE.FIRST_LEAP if s[STATE.CHAIN] < 0 else TABLE.NEXT_LEAP
    for kind in range(TABLE.NUM_SECTIONS):
        actions[kind] = 0
    n = _count_actions(t, s, w, actions)
    if actions[TABLE.DROP] + actions[TABLE.REMOVAL]:
        kind = TABLE.DROP if actions[TABLE.DROP] else TABLE.REMOVAL
        return pick_action(t, w, player, kind, random_below(rng, n)), n
    leaps, steps = actions[captures], actions[TABLE.STEP]
    if leaps + steps == 0:
        return t[TABLE.PASS_ACTION] if n else -1, n
    index = random_below(rng, n)
    if index < leaps:
        return pick_action(t, w, player, captures, index), n
    if index < leaps + steps:
        return pick_action(t, w, player, TABLE.STEP, index - leaps), n
    return t[TABLE.PASS_ACTION], n


@kernel
def play_out(t: Table, s: Words, w: Words, actions: Words, keys: Words, room: int, rng: Words) -> tuple[int, int]:
    """Rollout: plays random legal actions from an ongoing state to the end of the match.

    Args:
      s: Changed to the final state.
      keys: As for `earlier_occurrences`, with the positions so far.
      room: Length of `keys`. A match that fills it without progress counts as a draw.

    Returns:
      `(outcome, number of actions)`.
    """
    action, _ = sample_action(t, s, w, actions, rng)
    result = ONGOING
    played = 0
    while result == ONGOING:
        if t[TABLE.THREEFOLD] and s[STATE.QUIET] + 1 >= room:
            return 4 * NO_PROGRESS + NOBODY, played
        apply_action(t, s, w, action)
        played += 1
        action, n = sample_action(t, s, w, actions, rng)
        earlier = earlier_occurrences(t, s, keys)
        result = outcome(t, s, n, earlier)
    return result, played
