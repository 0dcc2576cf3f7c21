"""Matches played from choice to choice: steps without a choice are played at once. Some games have none."""

from typing import NamedTuple

import numpy as np

from ..engine import rules_scalar as rules
from ..engine.compiler import entry_kernel, inlined, kernel
from ..engine.kernel_types import Rows, Table, Words
from ..engine.random_play import sample_action
from ..errors import AlquerqueError, RulesError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_array
from ..game.game import Game
from ..game.kernel_arrays import word_rows, words
from ..game.outcomes import NO_PROGRESS, NOBODY, ONGOING
from ..match.chain_check import check_states
from ..match.match import Match


def check_choice(game: Game) -> None:
    """Checks that a player can choose between steps in some position of a game.

    Raises:
      RulesError: If every step is forced, so that there is only one match.
    """
    match = Match(game)
    while len(match.legal_steps) == 1:
        match.push(match.legal_steps[0])
    if match.is_over:
        raise no_choice(game)


def no_choice(game: Game) -> RulesError:
    """The error of a game in which every step is forced."""
    return RulesError(
        f"{game.name} has no choice: every step from its start is forced, so there is nothing to search or to learn; "
        "expected a game in which a player can choose between steps"
    )


# In a game without a limit, a match that fills the room for its history is drawn.
ROOM = 512
# Draws of random steps that may lead to no choice, before a match begins without random steps.
MOST_DRAWS = 4096


class DecisionBatch:
    """`count` matches of a game, each at a position with a choice. A match that ends is reset.

    Each begins with 0 to `opening_plies` random steps, drawn from `seed`, so that the matches differ.

    Attributes:
      states: Rows of integers, the engine's states.
      past: Rows of integers, hashes of the positions since the last progress.

    Raises:
      RulesError: If the game has no position with a choice, or its board has too many points.
    """

    def __init__(self, game: Game, count: int, opening_plies: int, seed: int) -> None:
        game.check_fits("training by search")
        t = self._t = game.table.words
        self._game = game
        # More than the limit needs, so that the limit ends a match before the room does.
        room = max(ROOM, t[TABLE.NO_PROGRESS_LIMIT] + 2) if t[TABLE.THREEFOLD] else 1
        self.states = word_rows(t, count, t[TABLE.STATE_SIZE])
        self.past = word_rows(t, count, room)
        self._room = room
        self._opening_plies = opening_plies
        self.rng = words(t, 1)
        self.rng[0] = seed
        scratch, actions = words(t, t[TABLE.SCRATCH_SIZE]), words(t, game.num_actions)
        self._arrays = MatchArrays(self.states, self.past, scratch, actions, self.rng)
        if not reset_all(t, self._arrays, count, room, opening_plies):
            raise no_choice(game)

    def players(self) -> np.ndarray:
        """int64 `[count]`, the players to move."""
        return np.asarray(self.states)[:, STATE.PLAYER].copy()

    def advance(self, actions: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Plays a step in each match, and then the steps up to its next choice.

        Args:
          actions: Integers `[count]`, legal.
          stops: Bool `[count]`, matches to reset instead.

        Returns:
          int64 `[count]`, codes of `engine.rules.outcome` where a match has ended, else 0; int64 `[count]`, steps
          played.

        Raises:
          AlquerqueError: If an array has another type or shape, or an action does not exist.
        """
        count = len(self.states)
        actions = check_array("actions", actions, "int64", (count,))
        stops = check_array("stops", stops, "bool", (count,))
        missing = ~stops & ((actions < 0) | (actions >= self._t[TABLE.NUM_ACTIONS]))
        if missing.any():
            match = int(missing.argmax())
            raise AlquerqueError(f"action {actions[match]} of match {match} does not exist")
        outcomes, steps = words(self._t, count), words(self._t, count)
        own = self._arrays, count, self._room, self._opening_plies
        advance_all(self._t, *own, actions, stops.astype(np.int64), outcomes, steps)
        return np.asarray(outcomes), np.asarray(steps)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that the following steps depend on."""
        return {"states": np.array(self.states), "past": np.array(self.past), "rng": np.array(self.rng)}

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Restores a state.

        Raises:
          AlquerqueError: If it is that of another game or number of matches.
        """
        count = len(self.states)
        states = check_states(self._game, state["states"], AlquerqueError)
        past = check_array("past", state["past"], "int64", (count, self._room))
        rng = check_array("rng", state["rng"], "int64", (1,))
        if len(states) != count:
            raise AlquerqueError(f"states are of {len(states)} matches, expected {count}")
        for found, rows in ((states, self.states), (past, self.past)):
            rows[:] = found
        self.rng[0] = int(rng[0])


class MatchArrays(NamedTuple):
    """The arrays of a batch: states and histories, scratch space, room for actions, and the generator."""

    states: Rows
    past: Rows
    scratch: Words
    actions: Words
    rng: Words


@entry_kernel
def reset_all(t: Table, p: MatchArrays, count: int, room: int, plies: int) -> bool:
    """Resets every match; returns whether the game has a choice."""
    has_choice = True
    for match in range(count):
        has_choice = _reset(t, p, match, room, plies)
    return has_choice


@entry_kernel
def advance_all(
    t: Table, p: MatchArrays, count: int, room: int, plies: int, chosen: Words, stops: Words, outcomes: Words,
    steps: Words,
) -> None:  # fmt: skip
    """Advances every match, see `DecisionBatch.advance`."""
    for match in range(count):
        outcomes[match] = ONGOING
        steps[match] = 0
        if stops[match]:
            _reset(t, p, match, room, plies)
            continue
        rules.apply_action(t, p.states[match], p.scratch, chosen[match])
        outcome, forced = _play_forced(t, p, match, room)
        steps[match] = 1 + forced
        outcomes[match] = outcome
        if outcome != ONGOING:
            _reset(t, p, match, room, plies)


@kernel
def _reset(t: Table, p: MatchArrays, match: int, room: int, plies: int) -> bool:
    """Resets a match and plays random steps, until there is a choice after them; returns whether there is one.

    The last try plays no random steps. It ends at the first choice of the game, unless the game has none.
    """
    s = p.states[match]
    for draw in range(MOST_DRAWS + 1):
        rules.begin(t, s)
        outcome, _ = _play_forced(t, p, match, room)
        if outcome != ONGOING:
            return False
        left = rules.random_below(p.rng, plies + 1) if draw < MOST_DRAWS else 0
        while left > 0 and outcome == ONGOING:
            action, _ = sample_action(t, s, p.scratch, p.actions, p.rng)
            rules.apply_action(t, s, p.scratch, action)
            outcome, _ = _play_forced(t, p, match, room)
            left -= 1
        if outcome == ONGOING:
            return True
    return False


@inlined
def _play_forced(t: Table, p: MatchArrays, match: int, room: int) -> tuple[int, int]:
    """Plays steps without a choice; returns the outcome and the number of steps."""
    s, past = p.states[match], p.past[match]
    forced = 0
    n = rules.legal_actions(t, s, p.scratch, p.actions)
    outcome = _outcome(t, s, past, room, n)
    while outcome == ONGOING and n == 1:
        rules.apply_action(t, s, p.scratch, p.actions[0])
        forced += 1
        n = rules.legal_actions(t, s, p.scratch, p.actions)
        outcome = _outcome(t, s, past, room, n)
    return outcome, forced


@inlined
def _outcome(t: Table, s: Words, past: Words, room: int, n: int) -> int:
    if t[TABLE.THREEFOLD] and s[STATE.QUIET] + 1 >= room:
        return 4 * NO_PROGRESS + NOBODY
    return rules.outcome(t, s, n, rules.earlier_occurrences(t, s, past))
