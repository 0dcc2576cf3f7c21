"""Matches played one decision at a time: steps without a choice are played on the way to the next choice."""

from typing import Any

import numpy as np

from ..engine import rules as e
from ..engine.compiler import borrowed, inlined, kernel
from ..game.game import Game
from ..game.kernel_arrays import word_rows, words

# Without a limit, a match that outlasts the room for its history is drawn.
ROOM = 512


class Matches:
    """`count` matches of a game, each at a position with a choice; one that ends begins anew.

    Args:
      game: What is played.
      count: How many.
      opening_plies: Each begins with 0 to so many random steps, so that they do not all go the same way.
      seed: Of these.

    Attributes:
      states: Rows of words, the engine's states.
      past: Rows of words, hashes of the positions since the last progress.
    """

    def __init__(self, game: Game, count: int, opening_plies: int, seed: int) -> None:
        t = self._t = game.table.words
        room = max(ROOM, t[e.T_NO_PROGRESS_LIMIT] + 2) if t[e.T_THREEFOLD] else 1
        self.states = word_rows(count, t[e.T_STATE_SIZE])
        self.past = word_rows(count, room)
        self._room = room
        self._opening_plies = opening_plies
        self.rng = words(1)
        self.rng[0] = seed
        self._w, self._actions = words(t[e.T_SCRATCH_SIZE]), words(game.num_actions)
        begin_all(t, self.states, self.past, room, self._w, self._actions, self.rng, opening_plies)

    def players(self) -> np.ndarray:
        """int64 `[count]`, the players to move."""
        return np.asarray(self.states)[:, e.PLAYER].copy()

    def advance(self, actions: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Plays a step in each match and goes on to its next choice.

        Args:
          actions: int64 `[count]`, legal.
          stops: Bool `[count]`, matches to begin anew instead.

        Returns:
          int64 `[count]`, how the matches stand that have ended, as `engine.outcome` codes it, else 0; int64 `[count]`,
          the steps played.
        """
        standings, steps = words(len(actions)), words(len(actions))
        advance_all(
            self._t,
            self.states,
            self.past,
            self._room,
            self._w,
            self._actions,
            self.rng,
            self._opening_plies,
            actions,
            stops.astype(np.int64),
            standings,
            steps,
        )
        return np.asarray(standings), np.asarray(steps)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the matches go on."""
        return {"states": np.array(self.states), "past": np.array(self.past), "rng": np.array(self.rng)}

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Goes back to a state."""
        _overwrite(self.states, state["states"])
        _overwrite(self.past, state["past"])
        self.rng[0] = int(state["rng"][0])


def _overwrite(rows: Any, values: np.ndarray) -> None:
    if isinstance(rows, np.ndarray):
        rows[:] = values
    else:
        rows[:] = values.tolist()


@kernel
def begin_all(t, states, past, room, w, actions, rng, plies):
    """Begins every match."""
    p_t, p_states, p_past, p_w = borrowed(t), borrowed(states), borrowed(past), borrowed(w)
    p_actions, p_rng = borrowed(actions), borrowed(rng)
    for match in range(len(states)):
        _begin(p_t, p_states[match], p_past[match], room, p_w, p_actions, p_rng, plies)


@kernel
def advance_all(t, states, past, room, w, actions, rng, plies, chosen, stops, standings, steps):
    """Plays on in every match: see `Matches.advance`."""
    p_t, p_states, p_past, p_w = borrowed(t), borrowed(states), borrowed(past), borrowed(w)
    p_actions, p_rng, p_chosen, p_stops = borrowed(actions), borrowed(rng), borrowed(chosen), borrowed(stops)
    p_standings, p_steps = borrowed(standings), borrowed(steps)
    for match in range(len(states)):
        s = p_states[match]
        p_standings[match] = e.ONGOING
        p_steps[match] = 0
        if p_stops[match]:
            _begin(p_t, s, p_past[match], room, p_w, p_actions, p_rng, plies)
            continue
        e.apply_action(p_t, s, p_w, p_chosen[match])
        standing, forced = _go_on(p_t, s, p_past[match], room, p_w, p_actions)
        p_steps[match] = 1 + forced
        p_standings[match] = standing
        if standing != e.ONGOING:
            _begin(p_t, s, p_past[match], room, p_w, p_actions, p_rng, plies)


@kernel
def _begin(t, s, past, room, w, actions, rng, plies):
    """Begins a match and plays random steps, again until there is a choice after them."""
    standing = e.NO_PROGRESS
    while standing != e.ONGOING:
        for index in range(t[e.T_STATE_SIZE]):
            s[index] = t[t[e.T_START] + index]
        standing, _ = _go_on(t, s, past, room, w, actions)
        left = e.random_below(rng, plies + 1)
        while left > 0 and standing == e.ONGOING:
            action, _ = e.sample_action(t, s, w, actions, rng)
            e.apply_action(t, s, w, action)
            standing, _ = _go_on(t, s, past, room, w, actions)
            left -= 1


@inlined
def _go_on(t, s, past, room, w, actions):
    """Plays steps without a choice; returns how the match stands, and their number."""
    forced = 0
    n = e.legal_actions(t, s, w, actions)
    standing = _stand(t, s, past, room, n)
    while standing == e.ONGOING and n == 1:
        e.apply_action(t, s, w, actions[0])
        forced += 1
        n = e.legal_actions(t, s, w, actions)
        standing = _stand(t, s, past, room, n)
    return standing, forced


@inlined
def _stand(t, s, past, room, n):
    earlier = 0
    if t[e.T_THREEFOLD]:
        if s[e.QUIET] + 1 >= room:
            return 4 * e.NO_PROGRESS + e.NOBODY
        if s[e.CHAIN] < 0:
            earlier = e.earlier_occurrences(t, s, past)
    return e.outcome(t, s, n, earlier)
